/* What the theme leaves out for keyboards and screen readers, in what it adds to a page after loading it. */

/* Let the keyboard scroll tables that are wider than their place. */
function reachTables() {
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((place, index) => {
    if (place.scrollWidth <= place.clientWidth) {
      for (const name of ["tabindex", "role", "aria-label"]) place.removeAttribute(name)
      return
    }
    place.tabIndex = 0
    place.setAttribute("role", "region")
    place.setAttribute("aria-label", `${place.closest("[lang]").lang === "nl" ? "Tabel" : "Table"} ${index + 1}`)
  })
}

new MutationObserver(() => {
  // The button that copies code needs no landmark around it.
  for (const place of document.querySelectorAll("nav.md-code__nav:not([role])")) place.setAttribute("role", "none")
  reachTables()
}).observe(document.querySelector("article"), { childList: true, subtree: true })
addEventListener("resize", reachTables)

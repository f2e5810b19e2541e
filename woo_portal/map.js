/* The map of permits: Leaflet over the GeoJSON of the same search. Without a script, the list is the page. */
"use strict";
(() => {
  const MOST = 2000; // the newest permits with a place are on the map
  const APART = 48; // the least distance between two marks, in pixels
  const box = document.querySelector(".map");
  const status = document.querySelector(".map-status");
  const part = document.querySelector(".map-part");
  const { permits, permit, tiles, credit, list } = box.dataset;
  const places = [];
  let records = 0;

  const map = L.map(box, { minZoom: 6, maxZoom: 18, maxBounds: [[49, 1], [56, 10]], zoomControl: false });
  map.attributionControl.setPrefix("Leaflet");
  L.control.zoom({ zoomInTitle: "Zoom in", zoomOutTitle: "Zoom uit" }).addTo(map);
  if (tiles) L.tileLayer(tiles, { attribution: credit }).addTo(map);
  const marks = L.layerGroup().addTo(map);

  function element(name, properties) {
    return Object.assign(document.createElement(name), properties);
  }

  function link({ id, title }) {
    return element("a", { href: permit + id, title, ariaLabel: title });
  }

  /* Returns the places in groups whose first places are apart on the screen. */
  function groups() {
    const found = [];
    for (const place of places) {
      const at = map.project(place.at);
      const near = found.find((one) => Math.max(Math.abs(one.at.x - at.x), Math.abs(one.at.y - at.y)) < APART);
      if (near) near.places.push(place);
      else found.push({ at, places: [place] });
    }
    return found.map((group) => group.places);
  }

  /* Returns the control of a group: a link to its permit, or a button that takes its permits apart. */
  function control(group) {
    const cases = [...new Map(group.map((place) => [place.id, place])).values()];
    if (cases.length === 1) return link(cases[0]);
    const text = `${cases.length} vergunningen`;
    const button = element("button", { type: "button", textContent: cases.length, title: text, ariaLabel: text });
    L.DomEvent.disableClickPropagation(button);
    button.addEventListener("click", () => {
      const around = L.latLngBounds(group.map((place) => place.at));
      if (map.getZoom() < map.getMaxZoom() && !around.getNorthEast().equals(around.getSouthWest())) {
        map.fitBounds(around, { padding: [40, 40] });
        box.focus();
        return;
      }
      const items = cases.map((place) => {
        const item = element("li");
        item.append(element("a", { href: permit + place.id, textContent: place.title }));
        return item;
      });
      const popup = element("ul");
      popup.append(...items);
      L.popup({ maxHeight: 200, closeButton: false }).setLatLng(group[0].at).setContent(popup).openOn(map);
      popup.querySelector("a").focus();
    });
    return button;
  }

  function draw() {
    const shown = map.getBounds();
    marks.clearLayers();
    for (const group of groups().filter((one) => shown.contains(one[0].at))) {
      const icon = L.divIcon({ className: "mark", html: control(group), iconSize: [32, 32] });
      marks.addLayer(L.marker(group[0].at, { icon, keyboard: false, interactive: false }));
    }
    const sides = [shown.getSouth(), shown.getWest(), shown.getNorth(), shown.getEast()];
    part.href = `${list}${list.includes("?") ? "&" : "?"}kader=${sides.map((side) => side.toFixed(6)).join(",")}`;
    part.hidden = false;
  }

  function add({ id, geometry, properties }) {
    if (!geometry) return;
    const points = geometry.type === "Point" ? [geometry.coordinates] : geometry.coordinates;
    const title = properties.vergunning.title || properties.vergunning.identifier;
    places.push(...points.map(([lon, lat]) => ({ id, title, at: L.latLng(lat, lon) })));
    records += 1;
  }

  /* Reads the permits, one a line, until there are as many as a map has. */
  async function read() {
    const answer = await fetch(permits);
    if (!answer.ok) throw new Error(answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    while (records < MOST) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines.filter((one) => one.startsWith('{"type": "Feature",'))) {
        if (records < MOST) add(JSON.parse(line.replace(/,$/, "")));
      }
    }
    reader.cancel();
  }

  async function show() {
    map.setView([52.2, 5.3], 7);
    try {
      await read();
    } catch {
      status.textContent = "De kaart lukt nu niet. Probeer het later opnieuw, of gebruik de lijst.";
      return;
    }
    if (!records) {
      status.textContent = "Er staat niets op deze kaart: geen van de vergunningen heeft een plaats.";
      return;
    }
    status.textContent = records < MOST
      ? `${records.toLocaleString("nl")} ${records === 1 ? "vergunning" : "vergunningen"} op de kaart.`
      : `Op de kaart staan de nieuwste ${MOST.toLocaleString("nl")} vergunningen.`;
    map.on("moveend", draw);
    const all = L.latLngBounds(places.map((place) => place.at));
    map.fitBounds(all, { padding: [40, 40], maxZoom: 16, animate: false });
  }

  show();
})();

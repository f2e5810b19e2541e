"""Directory listings as web servers write them."""

# ruff: noqa: E501  -- pages as web servers write them
from __future__ import annotations

APACHE = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>Index of /xml</title></head><body><h1>Index of /xml</h1>
<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a> <a href="?C=M;O=A">Last modified</a> <hr>
<img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/">Parent Directory</a>                             -
<img src="/icons/folder.gif" alt="[DIR]"> <a href="oud/">oud/</a>                    2026-03-01 09:00    -
<img src="/icons/text.gif" alt="[TXT]"> <a href="zaak-1.xml">zaak-1.xml</a>              2026-04-01 10:00  1.2K
<img src="/icons/text.gif" alt="[TXT]"> <a href="zaak-2.xml">zaak-2.xml</a>              2026-04-02 23:59  812
<hr></pre><address>Apache/2.4 Server at www.voorbeeldstad.nl Port 443</address></body></html>"""

APACHE_TABLE = """<table>
<tr><th valign="top"><img src="/icons/blank.gif"></th><th><a href="?C=N;O=D">Name</a></th>
  <th><a href="?C=M;O=A">Last modified</a></th></tr>
<tr><td><img src="/icons/back.gif"></td><td><a href="/">Parent Directory</a></td><td>&nbsp;</td><td>  - </td></tr>
<tr><td valign="top"><a href="zaak-1.xml"><img src="/icons/text.gif"></a></td>
  <td><a href="zaak-1.xml">zaak-1.xml</a></td><td align="right">2026-04-01 10:00  </td><td>1.2K</td></tr>
<tr><td valign="top"><a href="zaak-2.xml"><img src="/icons/text.gif"></a></td>
  <td><a href="zaak-2.xml">zaak-2.xml</a></td><td align="right">2026-04-02 23:59  </td><td>812 </td></tr>
</table>"""

APACHE_22 = """<pre><a href="zaak-1.xml">zaak-1.xml</a>  01-Apr-2026 10:00  1.2K
<a href="zaak-2.xml">zaak-2.xml</a>  02-Apr-2026 23:59  812
</pre>"""

NGINX = """<html><head><title>Index of /xml/</title></head><body><h1>Index of /xml/</h1><hr><pre><a href="../">../</a>
<a href="oud/">oud/</a>                                               01-Mar-2026 09:00                   -
<a href="zaak-1.xml">zaak-1.xml</a>                                         01-Apr-2026 10:00                1234
<a href="zaak-2.xml">zaak-2.xml</a>                                         02-Apr-2026 23:59                 812
</pre><hr></body></html>"""

IIS = (
    '<html><body><H1>www.voorbeeldstad.nl - /xml/</H1><hr><pre><A HREF="/">[To Parent Directory]</A><br><br>'
    '   4/1/2026 10:00 AM         1234 <A HREF="/xml/zaak-1.xml">zaak-1.xml</A><br>'
    ' 3/31/2026  9:00 AM        &lt;dir&gt; <A HREF="/xml/oud/">oud</A><br>'
    '   4/2/2026 11:59 PM          812 <A HREF="/xml/zaak-2.xml">zaak-2.xml</A><br></pre><hr></body></html>'
)

IIS_DUTCH = (
    '<pre><A HREF="/">[Naar bovenliggende map]</A><br><br>'
    ' 1-4-2026    10:00         1234 <A HREF="/xml/zaak-1.xml">zaak-1.xml</A><br>'
    ' 2-4-2026    23:59          812 <A HREF="/xml/zaak-2.xml">zaak-2.xml</A><br></pre>'
)

IIS_DUTCH_LONG = (
    "<pre><A HREF='/'>[Naar bovenliggende map]</A><br><br>"
    " woensdag 1 april 2026    10:00         1234 <A HREF='/xml/zaak-1.xml'>zaak-1.xml</A><br>"
    "donderdag 2 april 2026    23:59          812 <A HREF='/xml/zaak-2.xml'>zaak-2.xml</A><br></pre>"
)

IIS_ENGLISH_LONG = (
    '<pre> Wednesday, April 01, 2026 10:00 AM  1234 <A HREF="/xml/zaak-1.xml">zaak-1.xml</A><br>'
    '  Thursday, April 02, 2026 11:59 PM   812 <A HREF="/xml/zaak-2.xml">zaak-2.xml</A><br></pre>'
)

FANCYINDEX = """<table id="list"><thead><tr><th><a href="?C=N&amp;O=A">File Name</a></th></tr></thead><tbody>
<tr><td class="link"><a href="../">Parent directory/</a></td><td class="size">-</td><td class="date">-</td></tr>
<tr><td class="link"><a href="zaak-1.xml" title="zaak-1.xml">zaak-1.xml</a></td><td>1.2 KiB</td>
  <td class="date">2026-Apr-01 10:00</td></tr>
<tr><td class="link"><a href="zaak-2.xml" title="zaak-2.xml">zaak-2.xml</a></td><td>812 B</td>
  <td class="date">2026-Apr-02 23:59</td></tr></tbody></table>"""

EXPECTED = {"zaak-1.xml": "2026-04-01T10:00", "zaak-2.xml": "2026-04-02T23:59"}

"""Codes of languages: the library uses three letters (ISO 639-3), the record two (ISO 639-1)."""

from __future__ import annotations

#: The languages that the library detects.
_TABLE = """
afr=af aka=ak amh=am ara=ar aze=az bel=be ben=bn bul=bg cat=ca ces=cs cmn=zh cym=cy dan=da deu=de ell=el
eng=en epo=eo est=et fin=fi fra=fr guj=gu heb=he hin=hi hrv=hr hun=hu hye=hy ind=id ita=it jav=jv jpn=ja
kan=kn kat=ka khm=km kor=ko lat=la lav=lv lit=lt mal=ml mar=mr mkd=mk mya=my nep=ne nld=nl nob=nb ori=or
pan=pa pes=fa pol=pl por=pt ron=ro rus=ru sin=si slk=sk slv=sl sna=sn spa=es srp=sr swe=sv tam=ta tel=te
tgl=tl tha=th tuk=tk tur=tr ukr=uk urd=ur uzb=uz vie=vi yid=yi zul=zu
"""
_CODES = dict(pair.split("=") for pair in _TABLE.split())


def iso_639_1(code: str | None) -> str | None:
    """Return the code of two letters for one of three; None for None and for a language without one."""
    return _CODES.get(code or "")

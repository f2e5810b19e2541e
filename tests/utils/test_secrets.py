from __future__ import annotations

from pprint import pformat

import pytest

from woo_harvester.utils.secrets import hide, logins_in, masked, secrets_in, without_login


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("in: ftp://jan:geheim@a.nl/x", "in: ftp://…@a.nl/x"),
        ("s3://jan:ge/he+im@emmer/x and so on", "s3://…@emmer/x and so on"),
        ("https://jan:ge heim@a.nl/", "https://…@a.nl/"),
        ("https://jan:ge@heim@a.nl/", "https://…@a.nl/"),
        ("https://u:p@a.nl:9200,https://u:p@b.nl:9200", "https://…@a.nl:9200,https://…@b.nl:9200"),
        ("https://a.nl:8443/~jan@b.pdf?aan=c@d.nl", "https://a.nl:8443/~jan@b.pdf?aan=c@d.nl"),
        ("see https://a.nl/ or mail a@b.nl", "see https://a.nl/ or mail a@b.nl"),
        ("sqlite:////data/state.sqlite", "sqlite:////data/state.sqlite"),
        ("Authorization: Basic amFuOmdlaGVpbQ==", "Authorization: …"),
        ('{"authorization": "Bearer abc.def", "host": "a.nl"}', '{"authorization": "…", "host": "a.nl"}'),
        ("[HTTP_AUTHORIZATION] => Basic amFu", "[HTTP_AUTHORIZATION] => …"),
        ("Authorization=Basic amFu&x=1", "Authorization=…"),
        ("'MAIL_PASS': 'a', 'LOG_LEVEL': 'INFO'", "'MAIL_PASS': …, 'LOG_LEVEL': 'INFO'"),
        ("{'A_TOKEN': 5, 'B': None}", "{'A_TOKEN': …, 'B': None}"),
        ("FTP_PASSWORD: expected a text", "FTP_PASSWORD: expected a text"),
    ],
)
def test_what_shows_that_it_is_a_secret_is_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_the_value_of_a_setting_with_such_a_name_is_masked_however_python_shows_it() -> None:
    long = " ".join(f"it's-{number}\\" for number in range(30))
    text = pformat({"A_SECRET": long, "B_KEY": 'a"b', "C": 'c"d'})
    assert text.count("\n") > 2
    assert masked(text) == "{'A_SECRET': …,\n 'B_KEY': …,\n 'C': 'c\"d'}"


def test_the_values_of_secret_settings_are_masked_wherever_they_are() -> None:
    settings = {
        "AWS_SECRET_ACCESS_KEY": "zeer/geheim'1",
        "WOO_ELASTICSEARCH_API_KEY": ["eerste-sleutel"],
        "STORES": {"x": {"token": "tweede-sleutel", "name": "openbaar-is-dit"}},
        "MY_TOKEN": "kort",
        "BOT_NAME": "woo-harvester",
    }
    hide(secrets_in(settings))
    text = f"{settings['AWS_SECRET_ACCESS_KEY']!r} zeer%2Fgeheim%271 eerste-sleutel tweede-sleutel"
    assert masked(text) == '"…" … … …'
    assert masked("openbaar-is-dit kort woo-harvester") == "openbaar-is-dit kort woo-harvester"


def test_a_url_has_no_user_name_any_more() -> None:
    assert without_login("ftp://jan:geheim@a.nl/x") == "ftp://a.nl/x"
    assert without_login("s3://emmer/x") == "s3://emmer/x"


def test_a_part_of_a_password_that_an_error_quotes_is_masked() -> None:
    hide(logins_in("in ftp://piet:WachtW00rd/9@localhost:1/y.jsonl and s3://emmer/x"))
    assert masked("Port could not be cast to integer value as 'WachtW00rd'").endswith("'…'")

"""Random headers in encoded words, each a line of JSON, with the text that Python's email reads in them.

Arguments: the seed, and how many headers for each charset.
"""
import base64
import json
import random
import sys
from email.header import decode_header, make_header

chance = random.Random(int(sys.argv[1]))
COUNT = int(sys.argv[2])
SINGLE = (
    "iso-8859-1 iso-8859-2 iso-8859-5 iso-8859-7 iso-8859-9 iso-8859-15 windows-1250 windows-1251 "
    "windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 koi8-r koi8-u cp866 cp862 tis-620"
).split()
JAPANESE = "あいうえおかきくけこアイウエオ会議資料電子情報漏洩対策東京都日本語、。「」"
KOREAN = "가나다라마바사아자차카타파하회의자료한국어서울"
CHINESE = "的一是在不了有和人这中大为上个国我以要他"
TRADITIONAL = "的一是在不了有和人這中大為上個國我以要他"
SEVERAL = {
    "utf-8": JAPANESE + KOREAN + CHINESE + "äöüßéèжлñ€😀",
    "iso-2022-jp": JAPANESE,
    "shift_jis": JAPANESE,
    "euc-jp": JAPANESE,
    "euc-kr": KOREAN,
    "iso-2022-kr": KOREAN,
    "gb2312": CHINESE,
    "hz": CHINESE,
    "big5": TRADITIONAL,
}
ASCII = "abc XYZ 123 ~+-"


def letters_of(charset):
    every = (bytes([byte]).decode(charset, "ignore") for byte in range(0x80, 0x100))
    return "".join(one for one in every if one.isalpha())


def word(charset, text):
    data = text.encode(charset)
    if chance.random() < 0.5:
        return f"=?{charset}?B?{base64.b64encode(data).decode()}?="
    q = "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"={byte:02X}" for byte in data)
    return f"=?{charset}?Q?{q}?="


for charset in [*SINGLE, *SEVERAL]:
    letters = SEVERAL.get(charset) or letters_of(charset)
    for _ in range(COUNT):
        pieces = [
            "".join(chance.choice(letters if chance.random() < 0.7 else ASCII) for _ in range(chance.randint(1, 12)))
            for _ in range(chance.randint(1, 3))
        ]
        source = "\n ".join(word(charset, piece) for piece in pieces)
        text = str(make_header(decode_header(source)))
        assert text == "".join(pieces), source
        print(json.dumps([charset, source, text]))

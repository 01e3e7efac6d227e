"""Plays payment libraries of others against this project's command line and its writers, and counts what agrees.

    round_trips.py PAYROUTE WRITER [ROWS] [SEED]

Theirs to ours: a library makes texts of random parts, `payroute inspect` has to find just these parts, and to refuse a
text whose checksum no longer fits. Ours to theirs: `InteropWriter` makes texts of random parts, and the library has to
find them. The last line has the numbers; it ends with 1 where something differs that is not in THEIRS.
"""

import datetime
import decimal
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
import urllib.parse
import warnings

warnings.filterwarnings("ignore")
Decimal = decimal.Decimal

PAYROUTE, WRITER = sys.argv[1], sys.argv[2]
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 32)
rng = random.Random(SEED)

# Differences in which the library, not this project, departs from the standard: library and a word of the difference.
THEIRS = [
    ("pix-utils", "object 63", "it writes the checksum without leading zeros; it has four digits (EMVCo)"),
]

results = {}


class Result:
    def __init__(self):
        self.read = self.written = self.spoilt = self.theirs = 0
        self.differences = []


def result(library):
    return results.setdefault(library, Result())


def differs(library, text, why):
    for name, word, _ in THEIRS:
        if name == library and word in why:
            result(library).theirs += 1
            return
    result(library).differences.append(f"{why}: {text!r}")


# MARK: This project


def inspect(texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    out = subprocess.run([PAYROUTE, "inspect", "--json", "--reveal", "-"], input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in out.stdout.splitlines()]
    assert len(answers) == len(texts), (len(answers), len(texts), out.stderr[-500:])
    return answers


def make(requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    out = subprocess.run([WRITER], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in out.stdout.splitlines()]
    assert len(answers) == len(requests), out.stderr[-500:]
    return answers


def plain(value):
    """Numbers as their digits, so that 7 is "7" and "1.50" is 1.5."""
    if isinstance(value, bool) or value is None or isinstance(value, (list, dict)):
        return value
    text = str(value)
    try:
        return Decimal(text).normalize() if text[:1].isdigit() and len(text) < 40 and "x" not in text else text
    except decimal.InvalidOperation:
        return text


def theirs(library, rows, alphabet=None):
    """Rows of (text, standard, fields). With an alphabet each text is also read with one character of it changed."""
    counted = result(library)
    for (text, standard, fields), answer in zip(rows, inspect([row[0] for row in rows])):
        counted.read += 1
        if not answer.get("valid"):
            differs(library, text, f"not valid, {answer.get('error')}")
        elif answer["standard"] != standard:
            differs(library, text, f"taken for {answer['standard']}")
        else:
            for name, wanted in fields.items():
                found = answer["fields"].get(name)
                if plain(found) != plain(wanted):
                    differs(library, text, f"{name} is {found!r}, not {wanted!r}")
    if not alphabet:
        return
    spoilt = []
    for text, standard, _ in rows:
        place = rng.randrange(len(text) * 2 // 3, len(text))
        if text[place] not in alphabet:
            continue
        other = rng.choice([letter for letter in alphabet if letter.lower() != text[place].lower()])
        spoilt.append((text[:place] + other + text[place + 1 :], standard))
    for (text, standard), answer in zip(spoilt, inspect([row[0] for row in spoilt])):
        counted.spoilt += 1
        if answer.get("valid") and answer["standard"] == standard:
            differs(library, text, "valid, although a character was changed")


def ours(library, requests, check):
    """`check(request, text)` returns why the library's reading differs, or nothing."""
    counted = result(library)
    for request, answer in zip(requests, make(requests)):
        if "text" not in answer:
            differs(library, json.dumps(request), f"not made, {answer['refused']}")
            continue
        counted.written += 1
        try:
            why = check(request, answer["text"])
        except Exception as error:
            why = f"refused by the library, {type(error).__name__} {error}"
        if why:
            differs(library, answer["text"], why)


# MARK: Random parts

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
NAMES = [
    "Zürich Söhne",
    "Café René",
    "Straße & Co",
    "Łódź SA",
    "Ana María",
    "O'Neill",
    "A+B",
    "50% off",
    "x=y&z",
    "Plain",
]


def name():
    return rng.choice(NAMES) + f" {rng.randrange(1000)}"


def cents(most=10**9):
    return rng.randrange(1, most)


def units(count):
    return f"{count // 100}.{count % 100:02}"


def bytes_(count):
    return rng.randbytes(count)


def query(text):
    """The parts behind the question mark, by RFC 3986: a plus is a plus."""
    pairs = [pair.split("=", 1) for pair in text.partition("?")[2].split("&")]
    return {urllib.parse.unquote(key): urllib.parse.unquote(value) for key, value in pairs}


# MARK: Libraries


def use_bech32():
    import bech32

    rows = []
    for _ in range(ROWS):
        url = f"https://service{rng.randrange(1000)}.example/pay/{rng.randrange(10**9)}"
        data = bech32.convertbits(url.encode(), 8, 5)
        rows.append((bech32.bech32_encode("lnurl", data), "lnurl", {"url": url}))
    theirs("bech32", rows, BECH32)


def use_lnurl():
    import lnurl

    rows = []
    for _ in range(ROWS):
        url = f"https://shop{rng.randrange(1000)}.example/lnurl?tag={rng.randrange(10**6)}"
        rows.append((str(lnurl.encode(url).bech32), "lnurl", {"url": url}))
        rows.append((f"lightning:{lnurl.encode(url).bech32}", "lnurl", {"url": url}))
    theirs("lnurl", rows)


def use_bolt11():
    import bolt11

    rows = []
    for _ in range(ROWS):
        tags = bolt11.Tags()
        payment = bytes_(32).hex()
        tags.add(bolt11.TagChar.payment_hash, payment)
        tags.add(bolt11.TagChar.payment_secret, bytes_(32).hex())
        tags.add(bolt11.TagChar.description, name())
        expiry = rng.randrange(60, 10**6)
        tags.add(bolt11.TagChar.expire_time, expiry)
        amount = rng.choice([None, rng.randrange(1, 10**6) * 1000, rng.randrange(1, 1000) * 10**8])
        date = rng.randrange(1_500_000_000, 1_900_000_000)
        invoice = bolt11.Bolt11(
            currency=rng.choice(["bc", "tb", "bcrt"]),
            date=date,
            tags=tags,
            amount_msat=bolt11.MilliSatoshi(amount) if amount else None,
        )
        text = bolt11.encode(invoice, bytes_(32).hex())
        fields = {"amountMsat": amount, "timestamp": date, "expirySeconds": expiry, "paymentHash": payment}
        fields["description"] = invoice.description
        rows.append((rng.choice([text, text.upper()]), "bolt11", fields))
    theirs("bolt11", rows)


def use_embit():
    from embit import ec, script
    from embit.networks import NETWORKS

    def addresses():
        key = ec.PrivateKey(bytes_(32)).get_public_key()
        made = [script.p2pkh(key), script.p2wpkh(key), script.p2sh(script.p2wpkh(key)), script.p2tr(key)]
        network = rng.choice(["main", "test", "regtest"])
        return [(one.address(NETWORKS[network]), one.data.hex()) for one in made]

    rows = [(text, "bitcoin-address", {"scriptPubKey": code}) for _ in range(ROWS) for text, code in addresses()]
    theirs("embit", rows, BECH32)
    requests = []
    for _ in range(ROWS):
        text, code = rng.choice(addresses())
        request = {"make": "bip321", "address": text, "sat": cents(), "label": name(), "message": name()}
        requests.append(request | {"code": code})

    def check(request, text):
        head, found = text.partition("?")[0], query(text)
        if script.address_to_scriptpubkey(head.removeprefix("bitcoin:")).data.hex() != request["code"]:
            return "another address"
        if Decimal(found["amount"]) * 10**8 != request["sat"]:
            return f"amount is {found['amount']}"
        if (found["label"], found["message"]) != (request["label"], request["message"]):
            return "other texts"

    ours("embit", requests, check)


def use_schwifty():
    import schwifty

    rows = []
    for _ in range(ROWS):
        iban = schwifty.IBAN.random(random=rng)
        rows.append((rng.choice([iban.compact, iban.formatted]), "iban", {"normalised": iban.compact}))
    theirs("schwifty", rows, "0123456789")
    requests = [
        {
            "make": "payto",
            "iban": schwifty.IBAN.random(random=rng).compact,
            "amount": units(cents()),
            "name": name(),
            "message": name(),
        }
        for _ in range(ROWS)
    ]

    def check(request, text):
        parts = urllib.parse.urlsplit(text)
        if schwifty.IBAN(parts.path[1:]).compact != request["iban"]:
            return "another account"
        # As a form decodes it: a blank for a plus.
        found = dict(urllib.parse.parse_qsl(parts.query, strict_parsing=True))
        wanted = {"amount": "EUR:" + request["amount"], "receiver-name": request["name"], "message": request["message"]}
        if found != wanted:
            return f"options are {found}"

    ours("schwifty", requests, check)


def use_stdnum():
    from stdnum import iban, iso11649

    requests = []
    for _ in range(ROWS):
        base = str(rng.randrange(10**6, 10**12))
        value = "".join(str(int(letter, 36)) for letter in base + "RF00")
        reference = f"RF{98 - int(value) % 97:02}{base}"
        iso11649.validate(reference)
        requests.append(
            {"make": "epc", "name": name(), "iban": random_iban(), "cents": cents(), "reference": reference}
        )

    def check(request, text):
        lines = text.split("\n")
        if iban.validate(lines[6]) != request["iban"]:
            return "another account"
        if iso11649.validate(lines[9]) != request["reference"]:
            return "another reference"

    ours("python-stdnum", requests, check)


def random_iban(country=""):
    import schwifty

    return schwifty.IBAN.random(country_code=country, random=rng).compact


def pictures(folder, count):
    """Names of files that are not there yet."""
    return [os.path.join(folder, f"{number}.png") for number in range(count)]


def use_segno():
    import segno.helpers

    counted = result("segno")
    with tempfile.TemporaryDirectory() as folder:
        for file in pictures(folder, ROWS // 4):
            payee, text, account, amount = name(), name(), random_iban("DE"), cents()
            # 2 is ISO 8859-1, which has no Polish letters.
            charset = 1 if "Ł" in payee + text else rng.choice([1, 2])
            segno.helpers.make_epc_qr(payee, account, Decimal(units(amount)), text=text, encoding=charset).save(
                file, scale=4
            )
            out = subprocess.run([PAYROUTE, "inspect", "--json", "--image", file], capture_output=True, text=True)
            answer = json.loads(out.stdout.splitlines()[0])
            counted.read += 1
            found = answer.get("fields") or {}
            if not answer.get("valid"):
                differs("segno", payee, f"not valid, {answer.get('error')}")
            elif (found["name"], found["iban"]) != (payee, account) or plain(found["amount"]) != plain(units(amount)):
                differs("segno", payee, f"read as {found['name']!r}, {found['iban']}, {found['amount']}")


def use_zxing():
    import PIL.Image
    import zxingcpp

    counted = result("zxing-cpp")
    requests = [
        {"make": "epc", "name": name(), "iban": random_iban("AT"), "cents": cents(), "remittance": name()}
        for _ in range(ROWS // 8)
    ]
    requests += [{"make": "upi", "address": "shop@bank", "name": name(), "paise": cents()} for _ in range(ROWS // 8)]
    with tempfile.TemporaryDirectory() as folder:
        for file, answer in zip(pictures(folder, len(requests)), make(requests)):
            text = answer["text"]
            subprocess.run([PAYROUTE, "qr", "-o", file, text], check=True, capture_output=True)
            found = zxingcpp.read_barcodes(PIL.Image.open(file))
            counted.written += 1
            if [code.text for code in found] != [text]:
                differs("zxing-cpp", text, f"read as {[code.text for code in found]}")


def use_qrbill():
    from qrbill import QRBill

    rows, requests = [], []
    for _ in range(ROWS):
        account, amount, payee = random_iban("CH"), cents(10**8), name()
        if 30000 <= int(account[4:9]) <= 31999:
            continue
        parts = {
            "name": payee,
            "street": "Hauptstraße",
            "house_num": "5",
            "pcode": "8000",
            "city": "Zürich",
            "country": "CH",
        }
        bill = QRBill(account=account, creditor=parts, amount=units(amount), additional_information="Rechnung 7")
        fields = {"iban": account, "amount": units(amount), "message": "Rechnung 7"}
        rows.append((bill.qr_data(), "swiss-qr-bill", fields))
        requests.append(
            {
                "make": "swiss",
                "iban": account,
                "name": payee,
                "street": "Hauptstraße",
                "number": "5",
                "code": "8000",
                "town": "Zürich",
                "country": "CH",
                "cents": amount,
                "message": "Rechnung 7",
                "theirs": bill.qr_data(),
            }
        )
    theirs("qrbill", rows)

    def check(request, text):
        if text.rstrip("\n") != request["theirs"].replace("\r\n", "\n").rstrip("\n"):
            return f"the library writes {request['theirs']!r}"

    ours("qrbill", requests, check)


def use_pix():
    import pix_utils

    rows, requests = [], []
    for _ in range(ROWS):
        key, payee, amount = f"+55{rng.randrange(10**10, 10**11)}", f"Loja {rng.randrange(1000)}", cents(10**7)
        reference = f"TX{rng.randrange(10**8)}"
        text = str(pix_utils.Pix.Code(key, payee, "SAO PAULO", float(units(amount)), reference))
        fields = {"pixKey": key, "merchantName": payee, "amount": units(amount), "scheme": "pix"}
        rows.append((text, "emv-mpm", fields))
        requests.append(
            {
                "make": "pix",
                "key": key,
                "name": payee,
                "city": "SAO PAULO",
                "centavos": amount,
                "transaction": reference,
                "theirs": text,
            }
        )
    theirs("pix-utils", rows, "0123456789")

    def check(request, text):
        from vietqr_emvco import VietQRParser

        mine, other = VietQRParser.parse_raw(text), VietQRParser.parse_raw(request["theirs"])
        for tag in ["26", "53", "58", "59", "60", "62"]:
            # Identifiers of schemes have no case (EMVCo); the library writes them in capitals.
            if mine[tag].lower() != other[tag].lower():
                return f"object {tag} is {mine[tag]!r}, the library's {other[tag]!r}"
        if Decimal(mine["54"]) != Decimal(other["54"]):
            return f"amount is {mine['54']}"

    ours("pix-utils", requests, check)


def use_vietqr():
    from vietqr_emvco import VietQRGenerator, VietQRParser

    rows = []
    for _ in range(ROWS):
        amount = cents(10**7)
        account = str(rng.randrange(10**8, 10**12))
        text = VietQRGenerator("970436", account).generate(amount, "Thanh toan", "NGUYEN VAN A")
        rows.append((text, "emv-mpm", {"scheme": "vietqr", "amount": amount, "currency": "VND"}))
    theirs("vietqr-emvco", rows, "0123456789")
    requests = [
        {"make": "pix", "key": "a@b.example", "name": "Loja", "city": "RIO", "centavos": cents()} for _ in range(ROWS)
    ]

    def check(request, text):
        if not VietQRParser.verify_checksum(text):
            return "the checksum is wrong"
        if VietQRParser.parse(text)["merchant_name"] != request["name"]:
            return "another name"

    ours("vietqr-emvco", requests, check)


def use_promptpay():
    from promptpay import qrcode

    rows = []
    for _ in range(ROWS):
        amount = cents(10**7)
        text = qrcode.generate_payload(f"0{rng.randrange(10**8, 10**9)}", amount=float(units(amount)))
        rows.append((text, "emv-mpm", {"scheme": "promptpay", "amount": units(amount), "currency": "THB"}))
    theirs("promptpay", rows, "0123456789")


def use_pay_by_square():
    import pay_by_square

    rows = []
    for _ in range(ROWS):
        account, amount = random_iban("SK"), cents(10**7)
        text = pay_by_square.generate(
            amount=float(units(amount)),
            iban=account,
            variable_symbol=str(rng.randrange(10**9)),
            beneficiary_name="Obchod",
            date=datetime.date(2030, 1, 2),
        )
        rows.append((text, "paybysquare", {}))
    theirs("pay-by-square", rows)
    for (text, _, _), answer in zip(rows, inspect([row[0] for row in rows])):
        if not (answer.get("fields") or {}).get("payments"):
            differs("pay-by-square", text, "no payment")


def use_stellar():
    import stellar_sdk
    from stellar_sdk.sep.stellar_uri import PayStellarUri

    rows, requests = [], []
    for _ in range(ROWS):
        pair = stellar_sdk.Keypair.from_raw_ed25519_seed(bytes_(32))
        issuer = stellar_sdk.Keypair.from_raw_ed25519_seed(bytes_(32)).public_key
        amount, memo = units(cents()), f"Rechnung {rng.randrange(1000)}"
        link = PayStellarUri(
            pair.public_key,
            amount=amount,
            asset=stellar_sdk.Asset("USDC", issuer),
            memo=stellar_sdk.TextMemo(memo),
            message=name(),
            origin_domain="shop.example",
        )
        link.sign(pair.secret)
        fields = {"destination": pair.public_key, "amount": amount, "asset_issuer": issuer, "memo": memo}
        rows.append((link.to_uri(), "sep7", fields | {"msg": link.msg}))
        parameters = {
            "amount": amount,
            "asset_code": "USDC",
            "asset_issuer": issuer,
            "memo": memo,
            "memo_type": "MEMO_TEXT",
        }
        requests.append({"make": "sep7", "address": pair.public_key, "parameters": parameters | {"msg": name()}})
    theirs("stellar-sdk", rows)

    def check(request, text):
        link, wanted = PayStellarUri.from_uri(text), request["parameters"]
        found = (link.destination, Decimal(link.amount), link.asset_issuer, link.memo, link.msg)
        if found != (
            request["address"],
            Decimal(wanted["amount"]),
            wanted["asset_issuer"],
            wanted["memo"],
            wanted["msg"],
        ):
            return f"read as {found}"

    ours("stellar-sdk", requests, check)


def use_solders():
    from solders.pubkey import Pubkey

    rows, requests = [], []
    for _ in range(ROWS):
        key, token, amount = str(Pubkey(bytes_(32))), str(Pubkey(bytes_(32))), units(cents())
        text = f"solana:{key}?amount={amount}&spl-token={token}&label={urllib.parse.quote(name())}"
        rows.append((text, "solana-pay", {"recipient": key, "splToken": token, "amount": amount}))
        requests.append(
            {"make": "solana", "address": key, "amount": amount, "token": token, "label": name(), "memo": name()}
        )
    theirs("solders", rows)

    def check(request, text):
        found = query(text)
        if str(Pubkey.from_string(text[7:].partition("?")[0])) != request["address"]:
            return "another account"
        if str(Pubkey.from_string(found["spl-token"])) != request["token"] or found["amount"] != request["amount"]:
            return "another amount"
        if (found["label"], found["memo"]) != (request["label"], request["memo"]):
            return "other texts"

    ours("solders", requests, check)


def use_xrpl():
    from xrpl.core import addresscodec

    rows = []
    for _ in range(ROWS):
        account, tag = bytes_(20), rng.choice([None, rng.randrange(1 << 32)])
        classic, is_test = addresscodec.encode_classic_address(account), rng.random() < 0.5
        rows.append((classic, "xrp", {"accountId": account.hex()}))
        tagged = addresscodec.classic_address_to_xaddress(classic, tag, is_test)
        rows.append((tagged, "xrp", {"classic": classic, "tag": tag, "network": "testnet" if is_test else "mainnet"}))
        link = f"https://wallet.example/pay?to={classic}&amount=7.5" + ("" if tag is None else f"&dt={tag}")
        rows.append((link, "xrp-link", {"to": classic, "amount": "7.5", "tag": tag}))
    theirs("xrpl-py", [row for row in rows if "?" in row[0]])
    theirs("xrpl-py", [row for row in rows if "?" not in row[0]], BASE58)


def use_monero():
    from monero import const
    from monero.address import address
    from monero.seed import Seed

    rows = []
    for _ in range(ROWS):
        seed = Seed(bytes_(32).hex())
        main, test = seed.public_address(), seed.public_address(const.NET_TEST)
        paid = str(address(main).with_payment_id(bytes_(8).hex()))
        rows.append((f"monero:{main}?tx_amount=1.5", "monero", {"network": "mainnet", "amount": "1.5"}))
        rows.append((f"monero:{test}", "monero", {"network": "testnet", "type": "standard"}))
        rows.append((f"monero:{paid}", "monero", {"type": "integrated", "paymentId": address(paid).payment_id()}))
    theirs("monero", [row for row in rows if "?" in row[0]])
    theirs("monero", [row for row in rows if "?" not in row[0]], BASE58)


def use_eth():
    import eth_account
    import eth_account.messages
    import eth_utils

    rows, requests = [], []
    for _ in range(ROWS):
        target, chain = eth_utils.to_checksum_address(bytes_(20)), rng.choice([1, 10, 137, 8453])
        wei = str(rng.randrange(10**21))
        rows.append((f"ethereum:{target}@{chain}?value={wei}", "eip681", {"target": target, "value": wei}))
        requests.append(
            {
                "make": "eip681-token",
                "address": eth_utils.to_checksum_address(bytes_(20)),
                "token": target,
                "chain": chain,
                "units": wei,
            }
        )
    theirs("eth-utils", rows)

    def check(request, text):
        head, found = text.partition("?")[0], query(text)
        token = head.removeprefix("ethereum:").partition("@")[0]
        if not eth_utils.is_checksum_address(token) or token != request["token"]:
            return "another token"
        if found != {"address": request["address"], "uint256": request["units"]}:
            return f"parameters are {found}"

    ours("eth-utils", requests, check)
    seeds = [rng.randrange(1 << 40) for _ in range(ROWS)]
    accounts = [answer["text"] for answer in make([{"make": "wallet", "seed": seed} for seed in seeds])]
    requests = []
    for seed, account in zip(seeds, accounts):
        kinds = {
            "EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}],
            "Part": [{"name": "note", "type": "string"}, {"name": "value", "type": "int128"}],
            "Order": [
                {"name": "parts", "type": "Part[]"},
                {"name": "id", "type": "bytes32"},
                {"name": "to", "type": "address"},
                {"name": "open", "type": "bool"},
                {"name": "data", "type": "bytes"},
            ],
        }
        parts = [{"note": name(), "value": str(rng.randrange(-(10**30), 10**30))} for _ in range(rng.randrange(4))]
        order = {
            "parts": parts,
            "id": "0x" + bytes_(32).hex(),
            "to": eth_utils.to_checksum_address(bytes_(20)),
            "open": rng.random() < 0.5,
            "data": "0x" + bytes_(rng.randrange(40)).hex(),
        }
        data = {
            "types": kinds,
            "primaryType": "Order",
            "domain": {"name": name(), "chainId": rng.randrange(10**6)},
            "message": order,
        }
        requests.append({"make": "typed-data", "seed": seed, "data": data, "account": account})

    def signed(request, text):
        data = json.loads(json.dumps(request["data"]))
        for part in data["message"]["parts"]:
            part["value"] = int(part["value"])
        message = eth_account.messages.encode_typed_data(full_message=data)
        signer = eth_account.Account.recover_message(message, signature=text)
        if signer != request["account"]:
            return f"signed by {signer}, not {request['account']}"

    ours("eth-account", requests, signed)


def use_base58():
    import base58

    rows = []
    for _ in range(ROWS):
        for version, standard in [(0x41, "tron-address"), (0x30, "litecoin-address"), (0x1E, "dogecoin-address")]:
            account = bytes_(20)
            text = base58.b58encode_check(bytes([version]) + account).decode()
            rows.append((text, standard, {"hash": account.hex()}))
    theirs("base58", rows, BASE58)


def use_bip_utils():
    import bip_utils

    rows = []
    for _ in range(ROWS):
        key = bip_utils.Ed25519PrivateKey.FromBytes(bytes_(32)).PublicKey()
        rows.append((bip_utils.XlmAddrEncoder.EncodeKey(key, addr_type=bip_utils.XlmAddrTypes.PUB_KEY), "strkey", None))
        rows.append((bip_utils.AlgoAddrEncoder.EncodeKey(key), "algorand", {}))
        blake = bip_utils.Ed25519Blake2bPrivateKey.FromBytes(bytes_(32)).PublicKey()
        rows.append((bip_utils.NanoAddrEncoder.EncodeKey(blake), "nano", {}))
        coin = bip_utils.Secp256k1PrivateKey.FromBytes(bytes_(32)).PublicKey()
        rows.append((bip_utils.BchP2PKHAddrEncoder.EncodeKey(coin, net_ver=b"\x00", hrp="bitcoincash"), "cashaddr", {}))
        rows.append(
            (bip_utils.XtzAddrEncoder.EncodeKey(key, prefix=bip_utils.XtzAddrPrefixes.TZ1), "tezos-address", {})
        )
        rows.append((bip_utils.TrxAddrEncoder.EncodeKey(coin), "tron-address", {}))
    rows = [row for row in rows if row[2] is not None]
    theirs("bip-utils", rows)


def use_algosdk():
    import algosdk

    rows = []
    for _ in range(ROWS):
        account, amount = algosdk.encoding.encode_address(bytes_(32)), rng.randrange(10**12)
        rows.append((account, "algorand", {"address": account}))
        rows.append((f"algorand://{account}?amount={amount}", "algorand", {"address": account, "amount": amount}))
    theirs("py-algorand-sdk", rows)


for use in [
    use_bech32,
    use_lnurl,
    use_bolt11,
    use_embit,
    use_schwifty,
    use_stdnum,
    use_segno,
    use_zxing,
    use_qrbill,
    use_pix,
    use_vietqr,
    use_promptpay,
    use_pay_by_square,
    use_stellar,
    use_solders,
    use_xrpl,
    use_monero,
    use_eth,
    use_base58,
    use_bip_utils,
    use_algosdk,
]:
    try:
        use()
    except Exception:
        result(use.__name__.removeprefix("use_")).differences.append(f"did not run: {traceback.format_exc(limit=-2)}")

broken = 0
print(f"{'library':16} {'read':>6} {'spoilt':>6} {'made':>6} {'differ':>6} {'theirs':>6}")
for library, counted in sorted(results.items()):
    broken += len(counted.differences)
    print(
        f"{library:16} {counted.read:6} {counted.spoilt:6} {counted.written:6} {len(counted.differences):6} {counted.theirs:6}"
    )
    for difference in counted.differences[:3]:
        print("   ", difference[:600])
for library, word, why in THEIRS:
    if library in results and results[library].theirs:
        print(f"theirs: {library}: {why}")
total = sum(counted.read + counted.spoilt + counted.written for counted in results.values())
print(f"{len(results)} libraries, {total} texts, {broken} differences, seed {SEED}")
sys.exit(1 if broken else 0)

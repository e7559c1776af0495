#!/usr/bin/env python3
"""Computes the expected outcome for orders.jsonl independently, and writes expected.json.

    totals.py            write the file
    totals.py --check    compare the file with the computed content; status 1 if it differs

It shares nothing with the Swift program: it repeats prices, taxes, rates and stock as decimal numbers, and rounds with the
decimal module.
"""
import collections
import decimal
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
ORDERS, EXPECTED = HERE / "orders.jsonl", HERE / "expected.json"

# SKU: (category, price in euros, stock)
ARTICLES = {
    "BOOK-01": ("books", "18.99", 50_000), "BOOK-02": ("books", "24.50", 50_000), "BOOK-03": ("books", "9.99", 50_000),
    "BOOK-04": ("books", "49.95", 2_700), "CUP-01": ("general", "6.50", 50_000), "CUP-02": ("general", "8.75", 50_000),
    "CUP-03": ("general", "12.15", 50_000), "FILTER-01": ("general", "3.33", 50_000),
    "FILTER-02": ("general", "4.17", 50_000), "GIFT-01": ("general", "0.01", 50_000),
    "HONEY-01": ("food", "7.25", 50_000), "HONEY-02": ("food", "11.49", 3_000),
    "KETTLE-01": ("general", "49.90", 50_000), "KETTLE-02": ("general", "89.00", 2_600),
    "POT-01": ("general", "27.99", 50_000), "POT-02": ("general", "34.50", 50_000),
    "SUGAR-01": ("food", "1.99", 50_000), "SUGAR-02": ("food", "2.87", 50_000), "TEA-01": ("food", "4.89", 50_000),
    "TEA-02": ("food", "6.15", 50_000), "TEA-03": ("food", "12.75", 50_000), "TEA-04": ("food", "28.50", 50_000),
    "TEA-05": ("food", "99.99", 2_500), "TIN-01": ("general", "5.55", 50_000),
}
# Percent.
TAXES = {
    "DE": {"general": "19", "food": "7", "books": "7"},
    "FR": {"general": "20", "food": "5.5", "books": "5.5"},
    "GB": {"general": "20", "food": "0", "books": "0"},
    "JP": {"general": "10", "food": "8", "books": "10"},
    "US": {"general": "7.25", "food": "0", "books": "7.25"},
}
# Currency: (rate for one euro, decimal digits, maximum of a payment)
CURRENCIES = {
    "EUR": ("1", 2, "50000"), "USD": ("1.0837", 2, "50000"),
    "GBP": ("0.8552", 2, "50000"), "JPY": ("162.35", 0, "8000000"),
}
LARGEST = 2 ** 63 - 1

decimal.getcontext().prec = 60


class Rejected(Exception):
    pass


def rounded(amount, digits):
    """Rounds half up to the minor unit, which is away from zero for amounts that are not negative."""
    return amount.quantize(decimal.Decimal(1).scaleb(-digits), rounding=decimal.ROUND_HALF_UP)


def minor(amount, digits):
    """The amount as an integer of minor units, if it fits into 64 bits."""
    units = int(amount.scaleb(digits))
    if units > LARGEST:
        raise Rejected("amount too large")
    return units


def refuse_constant(name):
    raise ValueError(name)


def field(record, name, kind):
    if record.get(name) is None:
        raise Rejected("missing field")
    value = record[name]
    if kind is int and type(value) is decimal.Decimal:
        if value != value.to_integral_value():
            raise Rejected("unusable number")
        value = int(value)
    if type(value) is not kind:
        raise Rejected("wrong type")
    if kind is int and not -LARGEST - 1 <= value <= LARGEST:
        raise Rejected("unusable number")
    return value


def parse(line):
    """The order of a line, as (id, currency, country, [(sku, quantity)])."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Rejected("not UTF-8")
    try:
        record = json.loads(text, parse_float=decimal.Decimal, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise Rejected("not a JSON object")
    if type(record) is not dict:
        raise Rejected("not a JSON object")

    order_id, currency, country = (field(record, name, str) for name in ("id", "currency", "country"))
    items = []
    for item in field(record, "items", list):
        if type(item) is not dict:
            raise Rejected("wrong type")
        items.append((field(item, "sku", str), field(item, "quantity", int)))

    if not order_id:
        raise Rejected("missing field")
    if currency not in CURRENCIES:
        raise Rejected("unknown currency")
    if not items:
        raise Rejected("empty order")
    if any(quantity <= 0 for _, quantity in items):
        raise Rejected("quantity not positive")
    return order_id, currency, country, items


def price(currency, country, items):
    """Returns [(sku, quantity, net, tax)] and the sums, in minor units."""
    rate, digits, limit = CURRENCIES[currency]
    priced = []
    for sku, quantity in items:
        if sku not in ARTICLES:
            raise Rejected("unknown SKU")
        if country not in TAXES:
            raise Rejected("unknown country")
        category, euros, _ = ARTICLES[sku]
        net = rounded(decimal.Decimal(euros) * decimal.Decimal(rate), digits) * quantity
        net_units = minor(net, digits)
        tax = rounded(net * decimal.Decimal(TAXES[country][category]) / 100, digits)
        priced.append((sku, quantity, net_units, minor(tax, digits)))
    net, tax = sum(item[2] for item in priced), sum(item[3] for item in priced)
    if net + tax > LARGEST:
        raise Rejected("amount too large")
    if net + tax > decimal.Decimal(limit).scaleb(digits):
        raise Rejected("payment declined")
    return priced, net, tax


def hash_of(text):
    """FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2 ** 64
    return value


def work(content):
    stock = {sku: article[2] for sku, article in ARTICLES.items()}
    totals = {currency: dict(orders=0, net=0, tax=0, gross=0) for currency in CURRENCIES}
    accepted, rejected, short = {}, [], collections.defaultdict(lambda: dict(orders=0, wanted=0))
    blank = digest = 0
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(b"\xef\xbb\xbf")
        if not line.strip():
            blank += 1
            continue
        try:
            order_id, currency, country, items = parse(line)
            priced, net, tax = price(currency, country, items)
            if order_id in accepted:
                raise Rejected("duplicate order")
        except Rejected as reason:
            rejected.append(dict(line=number, reason=str(reason)))
            digest += hash_of(f"{number} rejected: {reason}")
            continue
        left = dict(stock)
        for sku, quantity in items:
            left[sku] -= quantity
            if left[sku] < 0:
                wanted = sum(count for name, count in items if name == sku)
                short[sku]["orders"] += 1
                short[sku]["wanted"] += wanted
                digest += hash_of(f"{number} short of {wanted} {sku}")
                break
        else:
            stock = left
            accepted[order_id] = number
            total = totals[currency]
            for name, amount in dict(orders=1, net=net, tax=tax, gross=net + tax).items():
                total[name] += amount
            rows = "".join(f"{quantity} {sku} {a} {b}\n" for sku, quantity, a, b in priced)
            digest += hash_of(f"{number} {order_id} {currency}\n{rows}{net} {tax} {net + tax}")
    return dict(
        read=len(lines) - blank, blankLines=blank, accepted=len(accepted), totals=totals, rejected=rejected,
        short={sku: dict(short[sku], left=stock[sku]) for sku in sorted(short)}, digest=f"{digest % 2 ** 64:016x}")


def main():
    content = json.dumps(work(ORDERS.read_bytes()), indent=1) + "\n"
    if "--check" not in sys.argv[1:]:
        EXPECTED.write_text(content)
    elif not EXPECTED.exists() or EXPECTED.read_text() != content:
        sys.exit(f"{EXPECTED.name} is not what totals.py writes")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes orders.jsonl: ten thousand orders and every kind of invalid line.

    generate.py            write the file
    generate.py --check    compare the file with the generated content; status 1 if it differs

The content is equal for every run and every Python 3: the only randomness is Random.random() with a fixed seed, which Python
guarantees not to change.
"""
import json
import pathlib
import random
import sys

FILE = pathlib.Path(__file__).with_name("orders.jsonl")
ORDERS = 10_000

# (currency, country, share)
MARKETS = [
    ("EUR", "DE", 30), ("EUR", "FR", 15), ("USD", "US", 20), ("GBP", "GB", 15), ("JPY", "JP", 15),
    ("USD", "DE", 2), ("EUR", "GB", 2), ("JPY", "US", 1),
]
ARTICLES = (
    [f"BOOK-0{n}" for n in range(1, 5)] + [f"CUP-0{n}" for n in range(1, 4)] + ["FILTER-01", "FILTER-02", "GIFT-01"]
    + ["HONEY-01", "HONEY-02", "KETTLE-01", "KETTLE-02", "POT-01", "POT-02", "SUGAR-01", "SUGAR-02"]
    + [f"TEA-0{n}" for n in range(1, 6)] + ["TIN-01"]
)

dice = random.Random(20_240_601)


def pick(things):
    return things[int(dice.random() * len(things))]


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def make_order(number):
    currency, country = pick([market[:2] for market in MARKETS for _ in range(market[2])])
    count = 1 + int(dice.random() ** 2 * 4)
    items = [{"sku": pick(ARTICLES), "quantity": 1 + int(dice.random() ** 3 * 12)} for _ in range(count)]
    return {"id": f"A-{number:05}", "currency": currency, "country": country, "items": items}


def with_item(order, **fields):
    """The order with some fields of its last item replaced. None removes a field."""
    item = {key: value for key, value in {**order["items"][-1], **fields}.items() if value is not None}
    return {**order, "items": order["items"][:-1] + [item]}


def without(order, field):
    return {key: value for key, value in order.items() if key != field}


def flaws(order, earlier):
    """One line of each kind that is rejected, derived from a valid order."""
    good = text(order)
    return [
        good[:-1], good + "}", good.replace('"', "'"), "order " + order["id"], "[" + good + "]", "42", good + good,
        "[" * 2_000, '{"id":"' + "\t" + '"}', good.replace("A-", "A-\0"),
        text({**order, "id": "\N{LATIN SMALL LETTER E WITH ACUTE}"}).encode("latin-1"), b"\xff\xfe" + good.encode(),
        text(without(order, "id")), text(without(order, "currency")), text(without(order, "country")),
        text(without(order, "items")), text(with_item(order, sku=None)), text(with_item(order, quantity=None)),
        text({**order, "id": ""}), text({**order, "currency": None}),
        text({**order, "id": 17}), text({**order, "items": "TEA-01"}), text(with_item(order, quantity="2")),
        text(with_item(order, quantity=True)),
        text(with_item(order, quantity=2.5)), text(with_item(order, quantity=2 ** 63)),
        text(with_item(order, quantity=10 ** 40)), good.replace('"quantity":', '"quantity":1e400,"was":'),
        text({**order, "items": []}),
        text({**order, "currency": "CHF"}), text({**order, "currency": "eur"}), text({**order, "currency": ""}),
        text({**order, "country": "XX"}), text({**order, "country": "D" * 100}),
        text(with_item(order, sku="TEA-99")), text(with_item(order, sku="tea-01")),
        text(with_item(order, sku="\x1b[31mTEA")),
        text(with_item(order, quantity=0)), text(with_item(order, quantity=-3)),
        text(with_item(order, quantity=-2 ** 63)),
        text(with_item(order, sku="TEA-01", quantity=2 ** 63 - 1)),
        text({**order, "items": [{"sku": "GIFT-01", "quantity": 2 ** 62}] * 2}),
        text(with_item(order, sku="TEA-05", quantity=100_000)),
        text(earlier),
    ]


def lines():
    """The lines without line feeds, as bytes."""
    result, orders = [], []
    for number in range(1, ORDERS + 1):
        orders.append(make_order(number))
        result.append(text(orders[-1]).encode())
    # Unusual, but valid.
    result[100] += b"\r"
    result[200] = b" \t" + result[200] + b"  "
    result[300] = result[300].replace(b'"country"', b'"note":"\xc3\xa9\\n","country"')
    result[400] = b"\xef\xbb\xbf" + result[400]
    result[500] = json.dumps(orders[500], indent=None, ensure_ascii=True).encode()
    # From the end, so that the other positions do not shift.
    extra = []
    for round_number in range(2):
        base = make_order(ORDERS + 1 + round_number)
        for flaw in flaws(base, orders[int(dice.random() * 50)]):
            extra.append((60 + int(dice.random() * (ORDERS - 60)), flaw if isinstance(flaw, bytes) else flaw.encode()))
    extra += [(1_000, b""), (2_000, b"   "), (3_000, b"\r"), (4_000, b"\t")]
    for place, line in sorted(extra, reverse=True):
        result.insert(place, line)
    return result


def main():
    # A byte order mark at the start, and no line feed at the end.
    content = b"\xef\xbb\xbf" + b"\n".join(lines())
    if "--check" not in sys.argv[1:]:
        FILE.write_bytes(content)
    elif not FILE.exists() or FILE.read_bytes() != content:
        sys.exit(f"{FILE.name} is not what generate.py writes")


if __name__ == "__main__":
    main()

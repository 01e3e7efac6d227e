#!/usr/bin/env python3
"""DHT nodes of libtorrent on loopback, for the tests of our own.

usage: libtorrent-swarm.py NODES SEED PUBLIC VALUE VERSIONS AWAITED SEQUENCE

SEED, PUBLIC, VALUE and AWAITED are hexadecimal. Prints one JSON object a line:
  {"ports": […]}                           the nodes know each other
  {"put": n, "seq": s, "signature": hex}   n nodes store VALUE under PUBLIC; it was put VERSIONS times, and s is its number
  {"got": hex, "seq": s, "signature": hex} the last node found an item of AWAITED with at least the number SEQUENCE
Then it goes on answering until it is stopped, or for two minutes. Ports are of the system's choice.
"""
import hashlib
import json
import sys
import time
import warnings

import libtorrent as lt

warnings.simplefilter("ignore", DeprecationWarning)


def say(**what):
    print(json.dumps(what), flush=True)


def node():
    return lt.session({
        "listen_interfaces": "127.0.0.1:0",
        "enable_dht": True, "enable_lsd": False, "enable_upnp": False, "enable_natpmp": False,
        "dht_bootstrap_nodes": "",
        # All are on one machine, and ask much at once.
        "dht_restrict_routing_ips": False, "dht_restrict_search_ips": False, "dht_enforce_node_id": False,
        "dht_prefer_verified_node_ids": False, "dht_ignore_dark_internet": False,
        "dht_block_ratelimit": 10_000, "dht_upload_rate_limit": 10_000_000,
        "alert_mask": lt.alert.category_t.dht_notification,
    })


def expanded(seed):
    """The key in the form that libtorrent wants (RFC 8032 section 5.1.5)."""
    digest = bytearray(hashlib.sha512(seed).digest())
    digest[0] &= 248
    digest[31] = digest[31] & 63 | 64
    return bytes(digest)


def main():
    count, seed, public, value, versions, awaited, least = sys.argv[1:8]
    seed, public, value, awaited = (bytes.fromhex(text) for text in (seed, public, value, awaited))
    nodes = [node() for _ in range(int(count))]
    deadline = time.monotonic() + 120
    while any(n.listen_port() == 0 for n in nodes):
        time.sleep(0.05)
    ports = [n.listen_port() for n in nodes]
    for n in nodes:
        for port in ports:
            if port != n.listen_port():
                n.add_dht_node(("127.0.0.1", port))
    while time.monotonic() < deadline and any(n.status().dht_nodes < len(nodes) - 1 for n in nodes):
        time.sleep(0.05)
    say(ports=ports)
    puts, found, asked = 0, False, 0.0

    def put():
        nodes[0].dht_put_mutable_item(expanded(seed), public, value, b"")

    put()
    while time.monotonic() < deadline:
        if not found and time.monotonic() - asked > 1:
            nodes[-1].dht_get_mutable_item(awaited, b"")
            asked = time.monotonic()
        for alert in nodes[0].pop_alerts():
            if isinstance(alert, lt.dht_put_alert) and puts < int(versions):
                puts += 1
                if puts < int(versions):
                    put()
                else:
                    say(put=alert.num_success, seq=alert.seq, signature=bytes(alert.signature).hex())
        for alert in nodes[-1].pop_alerts():
            if found or not isinstance(alert, lt.dht_mutable_item_alert) or bytes(alert.key) != awaited:
                continue
            if alert.authoritative and alert.seq >= int(least):
                found = True
                say(got=alert.item["value"].hex(), seq=alert.seq, signature=bytes(alert.signature).hex())
        time.sleep(0.05)


main()

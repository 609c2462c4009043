#!/usr/bin/env python3
"""Verifies an audit package of Waymark: python3 verify_package.py PACKAGE.tgz trust.txt

Digests, proofs, and signatures, as docs/verify.md specifies them; not verdicts and time stamps. Needs the package
`cryptography`. Exits with 0 if everything is proven, and otherwise with 1."""
import base64, hashlib, hmac, json, struct, sys, tarfile
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

problems, sha, b64 = [], lambda data: hashlib.sha256(data).hexdigest(), lambda text: base64.b64decode(text, validate=True)

def check(holds, path, problem):
    problems.extend([] if holds else [f"{path}: {problem}"])
    return holds

def number(value):  # as JavaScript writes it
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e21):
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    if exponent and int(exponent) > -7:
        return format(value, f".{len(digits.strip('-').replace('.', '')) - 1 - int(exponent)}f")
    return f"{digits}e{int(exponent):+d}" if exponent else digits

def canonical(value):  # RFC 8785
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number(value) if is_number else json.dumps(value, ensure_ascii=False)

def root_of(leaf, index, size, path):  # RFC 6962
    node, last, path = hashlib.sha256(b"\0" + leaf).digest(), size - 1, list(path)
    while last > 0:
        if index % 2 == 1 or index < last:
            sibling = path.pop(0) if path else b""
            node = hashlib.sha256(b"\1" + (sibling + node if index % 2 == 1 else node + sibling)).digest()
        index, last = index // 2, last // 2
    return b"" if path else node

def read_policy(text):
    logs, witnesses, groups, quorum = [], {}, [], None
    for word, *items in (line.split() for line in text.splitlines() if line.strip(" \t#") and line.split()[0][0] != "#"):
        logs += items[:1] if word == "log" else []
        witnesses |= {items[0]: items[1]} if word == "witness" else {}
        if word == "group":
            groups.append((items[0], int({"any": 1, "all": len(items) - 2}.get(items[1], items[1])), items[2:]))
        quorum = items[0] if word == "quorum" else quorum
    return logs, witnesses, groups, quorum

def is_signed(text, lines, vkey, kind):  # kind 1 is a signature, 4 a cosignature with its time
    name, key_id, key = vkey.split("+", 2)
    key, found = b64(key), False
    if key[0] != kind or sha(name.encode() + b"\n" + key)[:8] != key_id:
        raise ValueError(f"the key {vkey} is not valid")
    for _, signer, signature in (line.split(" ") for line in lines):
        raw = b64(signature)
        if (signer, raw[:4].hex()) != (name, key_id):
            continue
        message = f"cosignature/v1\ntime {struct.unpack('>Q', raw[4:12])[0]}\n{text}" if kind == 4 else text
        try:
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(raw[-64:], message.encode())
            found = True
        except InvalidSignature:
            check(False, "ledger/region.tlog-proof", f"the signature of {name} is wrong")
    return found

def verify_head(proof, logs, witnesses, groups, quorum):  # returns the head of the log of the org
    path, (head, note) = "ledger/region.tlog-proof", proof.split("\n\n", 1)
    first, extra, index, *hashes = head.split("\n")
    text, lines = note.split("\n\n", 1)[0] + "\n", note.split("\n\n", 1)[1].splitlines()
    origin, size, root = text.split("\n")[:3]
    org = json.loads(b64(extra.removeprefix("extra ")))["org"]
    signed = [is_signed(text, lines, vkey, 1) for vkey in logs if vkey.split("+")[0] == origin]
    check(first == "c2sp.org/tlog-proof@v1" and any(signed), path, f"no trusted log {origin} signed the checkpoint")
    reached = {name for name, vkey in witnesses.items() if is_signed(text, lines, vkey, 4)}
    for name, least, members in groups:
        reached |= {name} if len(reached.intersection(members)) >= least else set()
    check(quorum == "none" or quorum in reached, path, f"the quorum {quorum} did not cosign the checkpoint")
    check(org["origin"] == f"{origin}/org/{org['log']}", path, "the log of the org has another origin")
    leaf = canonical({"kind": "org", "log": org["log"], "root": org["root"], "size": org["size"], "v": 1})
    found = root_of(leaf.encode(), int(index.removeprefix("index ")), int(size), map(b64, hashes))
    check(found == b64(root), path, "the head of the log of the org is not in the region log")
    return org

def verify_entries(lines, org):  # returns the payloads by kind and id of what they are about
    known = {}
    for at, read in enumerate(map(json.loads, lines), 1):
        entry, leaf, path = read["entry"], read["entry"]["leaf"], f"ledger/entries.ndjson, line {at}"
        found = root_of(canonical(leaf).encode(), read["index"], org["size"], map(b64, read["hashes"]))
        proven = check(found.hex() == org["root"] and read["index"] < org["size"], path, "is not in the log of the org")
        if not proven or entry["nonce"] is None:  # of an erased entry, only the leaf is left
            continue
        nonce, payload, actor = bytes.fromhex(entry["nonce"]), entry["payload"], entry["actor_name"]
        same = hmac.new(nonce, payload.encode(), "sha256").hexdigest() == leaf["payload_digest"]
        check(same, path, "the content is not what was recorded")
        if same and check(sha(nonce + actor.encode()) == leaf["actor_digest"], path, "another actor was recorded"):
            fields = {**json.loads(payload), "actor": actor}
            about = fields["number"] if leaf["subject_kind"] == "approval" else leaf["subject_id"]
            known.setdefault((leaf["subject_kind"] + "s", str(about)), fields)
    return known

SAME = {  # members of records, and the members of payloads that they repeat
    "attestations": "attestation_name=name attestation_type=type is_compliant=is_compliant trust=trust control=control "
    "artifact_fingerprint=fingerprint type_version=type_version overrides=overrides reported_by=actor",
    "artifacts": "fingerprint=fingerprint filename=filename git_commit=commit created_by=actor build_url=build_url",
    "approvals": "artifact_fingerprint=fingerprint state=state created_by=actor approval_number=number",
}

def verify_record(path, folder, record, entry, files):
    pairs = SAME[folder] + " trail_name=trail content_sha256=content_sha256"
    for member, recorded in (pair.split("=") for pair in pairs.split()):
        check(record[member] == entry.get(recorded), path, f"{member} is not what was recorded")
    check(sha(canonical(record["sent"]).encode()) == entry["content_sha256"], path, "sent is not what was recorded")
    if folder == "attestations":
        outcome = {} if record["outcome"] in ("passed", "failed") else {"outcome": record["outcome"]}
        why = {} if record["override_reason"] is None else {"override_reason": record["override_reason"]}
        verdict = {"reasons": record["reasons"], "read": record["evaluation"], "judged_by": record["judged_by"], **outcome, **why}
        check(sha(canonical(verdict).encode()) == entry["verdict_sha256"], path, "the verdict is not what was recorded")
        file = record["attachment"] and sha(files.get(record["attachment"], b""))
        check(file == entry.get("attachment", {}).get("sha256"), path, "the attachment is not what was recorded")

def main(package, trust):
    files = {}
    with tarfile.open(package, "r:gz") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if not member.isdir() and check(member.isfile() and name not in files, name, "is not a file, or occurs twice"):
                files[name] = archive.extractfile(member).read()
    sums = {line[66:]: line[:64] for line in files["SHA256SUMS"].decode().splitlines()}
    for name in sorted({*files, *sums} - {"SHA256SUMS"}):
        check(name in files and sha(files[name]) == sums.get(name), name, "is missing, changed, or not in SHA256SUMS")
    org = verify_head(files["ledger/region.tlog-proof"].decode(), *read_policy(open(trust, encoding="utf-8").read()))
    known = verify_entries(files["ledger/entries.ndjson"].decode().splitlines(), org)
    records = [name.split("/") for name in sorted(files) if name.startswith("records/") and name.split("/")[1] in SAME]
    for _, folder, file in records:
        path, entry = f"records/{folder}/{file}", known.get((folder, file.removesuffix(".json")))
        if check(entry, path, "no journal entry in the package proves it"):
            verify_record(path, folder, json.loads(files[path]), entry, files)
    proven = f"PROVEN   {len(files)} files, {len(records)} records of evidence, log {org['log']} of {org['size']} entries"
    print("\n".join(f"DIFFERS  {problem}" for problem in problems) or proven)
    return 1 if problems else 0

if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]))
    except (KeyError, TypeError, ValueError, OSError, EOFError, IndexError, tarfile.TarError) as error:
        print(f"DIFFERS  the package or the policy cannot be read: {type(error).__name__}: {error}")
        sys.exit(1)

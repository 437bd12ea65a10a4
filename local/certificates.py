"""Writes a CA into a folder, with a certificate for 127.0.0.1 (server.*) and one for an administrator (client.*)."""

import datetime
import ipaddress
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
now = datetime.datetime.now(datetime.timezone.utc)


def name_of(common_name, organization=None):
    names = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization is not None:
        names.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(names)


def begin(subject, issuer, key):
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    begins, ends = now - datetime.timedelta(hours=1), now + datetime.timedelta(days=365)
    return builder.not_valid_before(begins).not_valid_after(ends)


def write(file, certificate, key):
    (folder / f"{file}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{file}.key"
    path.touch(mode=0o600)
    path.write_bytes(pem)


ca_name = name_of("okra-local")
ca_key = ec.generate_private_key(ec.SECP256R1())
ca = begin(ca_name, ca_name, ca_key).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
write("ca", ca.sign(ca_key, hashes.SHA256()), ca_key)

for file, subject, usage in [
    ("server", name_of("127.0.0.1"), ExtendedKeyUsageOID.SERVER_AUTH),
    ("client", name_of("admin", "system:masters"), ExtendedKeyUsageOID.CLIENT_AUTH),
]:
    key = ec.generate_private_key(ec.SECP256R1())
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
    builder = begin(subject, ca_name, key).add_extension(x509.SubjectAlternativeName(names), critical=False)
    builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    write(file, builder.sign(ca_key, hashes.SHA256()), key)

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

/** PEM texts. */
export interface IssuedCertificates {
  chain: string;
  privateKey: string;
  /** Root of the chain. */
  authority: string;
}

export interface IssueOptions {
  now?: Date;
  leafKeys?: { publicKey: KeyObject; privateKey: KeyObject };
  /** Extended key usage as an OID. */
  purpose?: string;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  organization: '2.5.4.10',
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
} as const;

const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';

/** Signatures have no trusted timestamp and expire with their certificate, so it must last long. */
const AUTHORITY_YEARS = 40;
const LEAF_YEARS = 30;

/** Tolerates machines whose clocks are behind. */
const SKEW_MS = 86_400_000;

/**
 * Creates an authority and a signing certificate in C2PA's profile: P-256, `emailProtection`. The authority's
 * key is discarded, so no other certificate can pass as ours.
 */
export function issueCertificates({
  now = new Date(),
  leafKeys = newKeys(),
  purpose = EMAIL_PROTECTION,
}: IssueOptions = {}): IssuedCertificates {
  const authorityKeys = newKeys();
  // Distinguishes installations.
  const installation = randomBytes(6).toString('hex');
  const authorityName = nameOf('Chorus', `Chorus provenance authority ${installation}`);
  const issued = { issuer: authorityName, signer: authorityKeys.privateKey, now };
  const authority = certificate({
    ...issued,
    subject: authorityName,
    years: AUTHORITY_YEARS,
    publicKey: authorityKeys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence(boolean(true))),
      // keyCertSign
      extension(OID.keyUsage, true, bitString(Buffer.from([0b0000_0100]), 2)),
      extension(OID.subjectKeyId, false, octetString(keyId(authorityKeys.publicKey))),
    ],
  });
  const leaf = certificate({
    ...issued,
    subject: nameOf('Chorus', `Chorus ${installation}`),
    years: LEAF_YEARS,
    publicKey: leafKeys.publicKey,
    extensions: [
      extension(OID.basicConstraints, true, sequence()),
      // digitalSignature
      extension(OID.keyUsage, true, bitString(Buffer.from([0b1000_0000]), 7)),
      extension(OID.extendedKeyUsage, true, sequence(objectId(purpose))),
      extension(OID.subjectKeyId, false, octetString(keyId(leafKeys.publicKey))),
      extension(OID.authorityKeyId, false, sequence(implicit(0, keyId(authorityKeys.publicKey)))),
    ],
  });
  const privateKey = leafKeys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { chain: pem(leaf), privateKey, authority: pem(authority) };
}

function certificate(parts: {
  issuer: Buffer;
  subject: Buffer;
  signer: KeyObject;
  publicKey: KeyObject;
  now: Date;
  years: number;
  extensions: Buffer[];
}): Buffer {
  const algorithm = sequence(objectId(OID.ecdsaWithSha256));
  const from = new Date(parts.now.getTime() - SKEW_MS);
  const until = new Date(from);
  until.setUTCFullYear(until.getUTCFullYear() + parts.years);
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(randomBytes(16)),
    algorithm,
    parts.issuer,
    sequence(time(from), time(until)),
    parts.subject,
    parts.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...parts.extensions)),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, parts.signer)));
}

const extension = (oid: string, critical: boolean, value: Buffer) =>
  sequence(objectId(oid), ...(critical ? [boolean(true)] : []), octetString(value));

const nameOf = (organization: string, commonName: string) =>
  sequence(
    set(sequence(objectId(OID.organization), utf8String(organization))),
    set(sequence(objectId(OID.commonName), utf8String(commonName))),
  );

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

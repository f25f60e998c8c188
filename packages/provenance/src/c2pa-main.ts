import { openParentChannel } from '@chorus/sandbox/child';
import { Builder, LocalSigner, Reader } from '@contentauth/c2pa-node';
import type { C2paAnswer, C2paRequest, FromC2pa, OwnSigners, SignRequest, ToC2pa } from './c2pa-protocol.ts';
import { claimsOf } from './claims.ts';

// Child process that signs and reads files. Exits with its parent.

/** Disables network access: a manifest could name any address, even internal ones. */
const OFFLINE = { remote_manifest_fetch: false, ocsp_fetch: false };

const MAX_REASON = 300;

const parent = openParentChannel();
parent.on('close', () => process.exit(0));
parent.on('message', (request) => {
  const message = request as ToC2pa;
  const { id } = message;
  answer(message)
    .catch((error: unknown): C2paAnswer => ({ type: 'failed', reason: String(error).slice(0, MAX_REASON) }))
    .then((answered) => parent.send({ id, ...answered } satisfies FromC2pa));
});

async function answer(request: C2paRequest): Promise<C2paAnswer> {
  if (request.type === 'sign') {
    await sign(request);
    return { type: 'signed' };
  }
  const settings = { verify: { ...OFFLINE, verify_trust: true }, trust: trustIn(request.own) };
  const reader = await Reader.fromAsset({ path: request.path, mimeType: request.mime }, JSON.stringify(settings));
  return { type: 'read', claims: reader === null ? null : claimsOf(reader.json()) };
}

async function sign({ path, output, mime, identity, manifest }: SignRequest): Promise<void> {
  const settings = {
    // Skip verification and thumbnails for a file that was just signed.
    verify: { ...OFFLINE, verify_after_sign: false },
    builder: { thumbnail: { enabled: false } },
  };
  const signer = LocalSigner.newSigner(
    Buffer.from(identity.chain),
    Buffer.from(identity.privateKey),
    identity.algorithm,
  );
  // The provider's signed record becomes the parent of ours.
  const parent = await carriesRecord(path, mime);
  const definition = parent ? manifest.opening : manifest.creating;
  const builder = Builder.withJson(definition as Parameters<typeof Builder.withJson>[0], JSON.stringify(settings));
  if (parent) builder.setIntent('edit');
  builder.sign(signer, { path, mimeType: mime }, { path: output });
}

/** Returns whether the file has a readable record; an unreadable one is replaced. */
async function carriesRecord(path: string, mime: string): Promise<boolean> {
  const settings = { verify: { ...OFFLINE, verify_after_reading: false } };
  try {
    return (await Reader.fromAsset({ path, mimeType: mime }, JSON.stringify(settings))) !== null;
  } catch {
    return false;
  }
}

/** Trusts only certificates of this installation. */
function trustIn({ authorities, certificates }: OwnSigners) {
  return {
    verify_trust_list: true,
    trust_anchors: authorities.join('\n'),
    ...(certificates.length > 0 && { allowed_list: certificates.join('\n') }),
  };
}

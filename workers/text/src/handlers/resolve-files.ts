import { buffer } from 'node:stream/consumers';
import type { AssetStore } from '@chorus/assets';
import {
  AUDIO_FORMATS,
  type ChatMessage,
  ChorusError,
  type FileReference,
  fileReferences,
  type ImageAddress,
  imageAddresses,
  MAX_REFERENCED_BYTES,
  MAX_REFERENCED_FILES,
  type Owner,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { VIEW_TYPE } from '@chorus/media';
import type { WebImages } from './web-images.ts';

type UserMessage = Extract<ChatMessage, { role: 'user' }>;
type UserPart = Exclude<UserMessage['content'], string>[number];

export interface FileParts {
  assets: Pick<AssetStore, 'get' | 'view' | 'read'>;
  owner: Owner;
  /** Absent: URLs of images are refused. */
  webImages?: WebImages | undefined;
  /** Whether URLs of images are sent to the provider. Otherwise they are downloaded here. */
  passesUrls: boolean;
  signal: AbortSignal;
}

/**
 * Replaces the ids of stored files in messages by their content: images scaled down, other files whole. Does the same
 * with URLs of images, unless the provider opens them.
 *
 * @throws {ChorusError} `invalid_request` if one was deleted since the request, or cannot be sent;
 * `url_not_allowed`, `download_failed`, `payload_too_large`, `store_unavailable`
 */
export async function resolveFiles(parts: FileParts, messages: ChatMessage[]): Promise<ChatMessage[]> {
  const references = fileReferences(messages);
  const addresses = imageAddresses(messages);
  if (references.length + addresses.length === 0) return messages;
  const downloads = parts.passesUrls ? [] : addresses;
  if (references.length + downloads.length > MAX_REFERENCED_FILES)
    throw new ChorusError('invalid_request', `Messages may name at most ${MAX_REFERENCED_FILES} files.`);
  const room = { bytes: MAX_REFERENCED_BYTES };
  const resolved = new Map<UserPart, UserPart>();
  if (parts.passesUrls) await checkHosts(parts, addresses);
  for (const address of downloads) {
    const part = (messages[address.message] as UserMessage).content[address.part] as UserPart;
    resolved.set(part, await downloaded(parts, address, part, room));
  }
  // One at a time, to bound memory.
  for (const reference of references) {
    const part = (messages[reference.message] as UserMessage).content[reference.part] as UserPart;
    resolved.set(part, await contentOf(parts, reference, part, room));
  }
  return messages.map((message) =>
    message.role === 'user' && typeof message.content !== 'string'
      ? { ...message, content: message.content.map((part) => resolved.get(part) ?? part) }
      : message,
  );
}

/** Checks each server once. */
async function checkHosts({ webImages, signal }: FileParts, addresses: readonly ImageAddress[]): Promise<void> {
  const byServer = new Map(addresses.map((address) => [URL.parse(address.url)?.origin ?? address.url, address]));
  if (byServer.size > MAX_REFERENCED_FILES)
    throw new ChorusError('invalid_request', `Messages may name images of at most ${MAX_REFERENCED_FILES} servers.`);
  const check = ({ url, path }: ImageAddress) =>
    at(path, async () => {
      if (webImages === undefined) throw noUrls();
      await webImages.check(url, signal);
    });
  await Promise.all([...byServer.values()].map(check));
}

async function downloaded(
  { webImages, owner, signal }: FileParts,
  { url, path }: ImageAddress,
  part: UserPart,
  room: { bytes: number },
): Promise<UserPart> {
  if (part.type !== 'image_url') return part;
  const bytes = await at(path, async () => {
    if (webImages === undefined) throw noUrls();
    return webImages.fetch(url, owner, signal);
  });
  take(room, bytes.byteLength);
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { ...part, image_url: { ...part.image_url, url: `data:${VIEW_TYPE};base64,${base64}` } };
}

const noUrls = () => new ChorusError('invalid_request', 'must be a data: URL or the id of an asset');

/** Names the field in errors. */
async function at<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error;
    throw new ChorusError(error.code, `${path}: ${error.message}`, { cause: error });
  }
}

async function contentOf(
  { assets, owner }: FileParts,
  { assetId, path }: FileReference,
  part: UserPart,
  room: { bytes: number },
): Promise<UserPart> {
  const record = assetId === null ? null : await assets.get(owner, assetId);
  if (record === null) throw gone(path);
  const content = await (part.type === 'image_url' ? assets.view(record) : read(assets, record, room)).catch(
    (error) => {
      throw error instanceof ChorusError && error.code === 'not_found' ? gone(path) : error;
    },
  );
  if (content === null) throw new ChorusError('invalid_request', `${path}: this image cannot be read`);
  const base64 = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64');
  switch (part.type) {
    case 'image_url':
      return { ...part, image_url: { ...part.image_url, url: `data:${VIEW_TYPE};base64,${base64}` } };
    case 'input_audio': {
      const format = AUDIO_FORMATS[record.mime_type];
      if (format === undefined) throw new ChorusError('invalid_request', `${path}: must be WAV or MP3 audio`);
      return { type: 'input_audio', input_audio: { data: base64, format } };
    }
    case 'file': {
      const filename = part.file.filename ?? record.filename;
      const file_data = `data:${record.mime_type};base64,${base64}`;
      return { type: 'file', file: { file_data, ...(filename != null && { filename }) } };
    }
    default:
      return part;
  }
}

async function read(assets: FileParts['assets'], record: AssetRecord, room: { bytes: number }): Promise<Uint8Array> {
  take(room, record.size_bytes);
  return buffer(await assets.read(record));
}

function take(room: { bytes: number }, bytes: number): void {
  room.bytes -= bytes;
  if (room.bytes < 0)
    throw new ChorusError('invalid_request', `Messages may name files of at most ${MAX_REFERENCED_BYTES} bytes.`);
}

function gone(path: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: the file has been deleted`);
}

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { type ChatMessagePart, ChorusError } from '@chorus/contract';

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type Part<T extends ChatMessagePart['type']> = Extract<ChatMessagePart, { type: T }>;

const DATA_URL = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*?)(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes images in `data:` URLs. Passes http(s) URLs on without fetching them. */
export function imagePart({ image_url }: Part<'image_url'>, path: string): LanguageModelV4FilePart {
  const { url } = image_url;
  // Few models know `original`.
  const detail = image_url.detail === 'original' ? 'high' : image_url.detail;
  const providerOptions =
    detail == null
      ? {}
      : { providerOptions: { openai: { imageDetail: detail }, openaiCompatible: { image_url: { url, detail } } } };
  if (!/^data:/i.test(url))
    return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: webUrl(url, path) }, ...providerOptions };
  const { mediaType, data } = dataUrl(url, path);
  if (!mediaType.startsWith('image/'))
    throw invalid(path, 'a data: URL must hold an image, such as data:image/png;base64,…');
  return { type: 'file', mediaType, data: { type: 'data', data }, ...providerOptions };
}

export function audioPart({ input_audio: { data, format } }: Part<'input_audio'>, path: string): UserPart {
  if (!isBase64(data)) throw invalid(`${path}.input_audio.data`, 'must be base64');
  return { type: 'file', mediaType: format === 'wav' ? 'audio/wav' : 'audio/mpeg', data: { type: 'data', data } };
}

/** Converts a PDF, an image, or a text file, which is sent as text. */
export function filePart({ file: { file_data, file_id, filename } }: Part<'file'>, path: string): UserPart {
  if (file_data == null)
    throw invalid(
      file_id == null ? `${path}.file` : `${path}.file.file_id`,
      'a file must be sent as `file_data` to this model',
    );
  const at = `${path}.file.file_data`;
  const { mediaType, data } = /^data:/i.test(file_data)
    ? dataUrl(file_data, at)
    : { mediaType: 'application/pdf', data: file_data };
  if (typeof data === 'string' && !isBase64(data)) throw invalid(at, 'must be a `data:` URL, or base64 of a PDF');
  if (mediaType.startsWith('text/') || mediaType === 'application/json') return { type: 'text', text: textOf(data) };
  if (mediaType !== 'application/pdf' && !mediaType.startsWith('image/'))
    throw invalid(at, 'must be a PDF, an image, or a text');
  return { type: 'file', mediaType, data: { type: 'data', data }, ...(filename != null && { filename }) };
}

function textOf(data: string | Uint8Array): string {
  return new TextDecoder().decode(typeof data === 'string' ? Buffer.from(data, 'base64') : data);
}

/** Keeps base64, which is sent unchanged. Decodes anything else. */
function dataUrl(url: string, path: string): { mediaType: string; data: string | Uint8Array } {
  const match = DATA_URL.exec(url);
  const payload = url.slice(match?.[0].length);
  const mediaType = match?.[1]?.toLowerCase() ?? 'text/plain';
  if (match?.[3] !== undefined) {
    if (isBase64(payload)) return { mediaType, data: payload };
  } else if (match !== null)
    try {
      return { mediaType, data: new TextEncoder().encode(decodeURIComponent(payload)) };
    } catch {}
  throw invalid(path, 'the data: URL is malformed');
}

function isBase64(text: string): boolean {
  return text.length > 0 && BASE64.test(text);
}

function webUrl(url: string, path: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed;
  throw invalid(path, 'an image must be an http(s) address or a data: URL');
}

export function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: ${message}`);
}

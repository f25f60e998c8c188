import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { type ChatMessage, ChorusError } from '@chorus/contract';

type Part = Exclude<ChatMessage['content'], string>[number];

const DATA_URL = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*?)(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * A conversation as the provider packages take it. Images in `data:` URLs become bytes; those at http(s) addresses
 * are handed to the provider as addresses: nothing is fetched here.
 * @throws ChorusError `invalid_request` for an image that is neither
 */
export function toPrompt(messages: ChatMessage[]): LanguageModelV4Prompt {
  return messages.map((message, index) => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: textOf(message) };
      case 'assistant':
        return { role: 'assistant', content: [{ type: 'text', text: textOf(message) }] };
      case 'user':
        return {
          role: 'user',
          content:
            typeof message.content === 'string'
              ? [{ type: 'text', text: message.content }]
              : message.content.map((part, partIndex) => userPart(part, `messages[${index}].content[${partIndex}]`)),
        };
      default:
        throw message.role satisfies never;
    }
  });
}

/** The text of a message, its text parts joined by line breaks. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function userPart(part: Part, path: string): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { url, detail } = part.image_url;
  const providerOptions = detail === undefined ? {} : { providerOptions: { openai: { imageDetail: detail } } };
  if (!/^data:/i.test(url))
    return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: webUrl(url, path) }, ...providerOptions };
  const match = DATA_URL.exec(url);
  const mediaType = match?.[1]?.toLowerCase() ?? '';
  if (match === null || !mediaType.startsWith('image/'))
    throw new ChorusError(
      'invalid_request',
      `${path}: a data: URL must hold an image, such as data:image/png;base64,…`,
    );
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data: bytesOf(url.slice(match[0].length), match[3] !== undefined, path) },
    ...providerOptions,
  };
}

/** Base64 stays as it is, since that is what goes over the wire again; anything else becomes bytes. */
function bytesOf(payload: string, base64: boolean, path: string): string | Uint8Array {
  if (base64) {
    if (payload.length > 0 && BASE64.test(payload)) return payload;
  } else {
    try {
      return new TextEncoder().encode(decodeURIComponent(payload));
    } catch {}
  }
  throw new ChorusError('invalid_request', `${path}: the data: URL is not well-formed`);
}

function webUrl(url: string, path: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed;
  throw new ChorusError('invalid_request', `${path}: an image must be an http(s) address or a data: URL`);
}

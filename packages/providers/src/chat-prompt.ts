import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { type ChatMessage, type ChatMessagePart, ChorusError, messageText } from '@chorus/contract';

type Part = Exclude<ChatMessagePart, { type: 'refusal' }>;

const DATA_URL = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?((?:;[^;,]*)*?)(;base64)?,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Converts a conversation for the provider packages. Images in `data:` URLs become bytes; http(s)
 * addresses are passed on and not fetched here.
 *
 * @throws ChorusError `invalid_request` for any other image
 */
export function toPrompt(messages: ChatMessage[]): LanguageModelV4Prompt {
  return messages.map((message, index) => {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: messageText(message) };
      case 'assistant':
        return { role: 'assistant', content: [{ type: 'text', text: messageText(message) }] };
      case 'user':
        return {
          role: 'user',
          content:
            typeof message.content === 'string'
              ? [{ type: 'text', text: message.content }]
              : message.content.map((part, partIndex) => userPart(part, `messages[${index}].content[${partIndex}]`)),
        };
      case 'tool':
        throw new ChorusError('invalid_request', `messages[${index}].role: tool results are not supported`);
      default:
        throw message satisfies never;
    }
  });
}

function userPart(part: Part, path: string): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type !== 'image_url') throw new ChorusError('invalid_request', `${path}: ${part.type} is not supported`);
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

/** Keeps base64, which is sent as it is; decodes anything else. */
function bytesOf(payload: string, base64: boolean, path: string): string | Uint8Array {
  if (base64) {
    if (payload.length > 0 && BASE64.test(payload)) return payload;
  } else {
    try {
      return new TextEncoder().encode(decodeURIComponent(payload));
    } catch {}
  }
  throw new ChorusError('invalid_request', `${path}: the data: URL is malformed`);
}

function webUrl(url: string, path: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed;
  throw new ChorusError('invalid_request', `${path}: an image must be an http(s) address or a data: URL`);
}

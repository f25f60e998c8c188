import type { ChatMessagePart, OpenAiMessage } from './chat.ts';
import { isId } from './ids.ts';

/** Maximum number of stored files that the messages of a request may name, and of their total bytes. */
export const MAX_REFERENCED_FILES = 32;
export const MAX_REFERENCED_BYTES = 32_000_000;

/** The audio types that models accept, with OpenAI's names. */
export const AUDIO_FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' };

/** A part of a message that names a stored file instead of its content. */
export interface FileReference {
  message: number;
  part: number;
  type: 'image_url' | 'input_audio' | 'file';
  /** Null: not a valid asset id. */
  assetId: string | null;
  /** Where the request names it. */
  path: string;
}

/** Returns the asset that an id names: `ast_…`, or OpenAI's `file-…`. Null: any other text. */
export function assetIdOf(reference: string): string | null {
  const id = reference.startsWith('file-') ? `ast_${reference.slice('file-'.length)}` : reference;
  return isId('asset', id) ? id : null;
}

type Parts = ChatMessagePart[];

/** Base64 and URLs never begin like this. */
const REFERENCE = /^(ast_|file-)/;

/** An image of a message that must be downloaded. */
export interface ImageAddress {
  message: number;
  part: number;
  url: string;
  /** Where the request names it. */
  path: string;
}

const DATA_URL = /^data:/i;

/** Finds the images that messages name by URL. */
export function imageAddresses(messages: readonly Pick<OpenAiMessage, 'role' | 'content'>[]): ImageAddress[] {
  return messages.flatMap((said, message) =>
    said.role === 'user' && typeof said.content !== 'string'
      ? (said.content as Parts).flatMap((found, part): ImageAddress[] => {
          if (found.type !== 'image_url') return [];
          const { url } = found.image_url;
          if (DATA_URL.test(url) || REFERENCE.test(url)) return [];
          return [{ message, part, url, path: `messages.${message}.content.${part}.image_url.url` }];
        })
      : [],
  );
}

/** Finds the stored files that messages name. */
export function fileReferences(messages: readonly Pick<OpenAiMessage, 'role' | 'content'>[]): FileReference[] {
  return messages.flatMap((said, message) =>
    said.role === 'user' && typeof said.content !== 'string'
      ? (said.content as Parts).flatMap((found, part): FileReference[] => {
          const path = `messages.${message}.content.${part}`;
          const reference = (type: FileReference['type'], id: string, field: string) => [
            { message, part, type, assetId: assetIdOf(id), path: `${path}.${field}` },
          ];
          if (found.type === 'image_url' && REFERENCE.test(found.image_url.url))
            return reference('image_url', found.image_url.url, 'image_url.url');
          if (found.type === 'input_audio' && REFERENCE.test(found.input_audio.data))
            return reference('input_audio', found.input_audio.data, 'input_audio.data');
          if (found.type === 'file' && found.file.file_id != null)
            return reference('file', found.file.file_id, 'file.file_id');
          return [];
        })
      : [],
  );
}

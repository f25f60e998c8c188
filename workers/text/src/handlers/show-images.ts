import type { AssetStore } from '@chorus/assets';
import { type ChatMessage, type ChatMessagePart, ChorusError, type Owner, reasoningFields } from '@chorus/contract';
import type { ContextMessage } from '@chorus/conversations';
import { VIEW_TYPE } from '@chorus/media';

/** The newest images that are sent; each adds several hundred kilobytes to the request. */
const MAX_IMAGES = 8;

type Part = Exclude<ChatMessagePart, { type: 'refusal' }>;

export interface ShowParts {
  assets: Pick<AssetStore, 'get' | 'view'>;
  owner: Owner;
  /** Whether the model accepts images; called only if there are any. */
  sees: () => boolean;
}

/**
 * Adds a conversation's images as scaled-down data. A text replaces images that are missing, unsupported, or
 * beyond the limit.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function showImages(parts: ShowParts, messages: ContextMessage[]): Promise<ChatMessage[]> {
  let left = MAX_IMAGES;
  const shown: ChatMessage[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== 'user' || message.attachments === undefined) {
      shown.push(toChatMessage(message));
      continue;
    }
    const { content, attachments } = message;
    const newest = attachments.slice(Math.max(0, attachments.length - left));
    left -= newest.length;
    const older = attachments.length - newest.length;
    const images = [
      ...Array.from({ length: older }, () => words('An image was here; it is no longer shown.')),
      ...(await Promise.all(newest.map((id) => partOf(parts, id)))),
    ];
    shown.push({ role: 'user', content: [words(content), ...images] });
  }
  return shown.reverse();
}

function toChatMessage(message: ContextMessage): ChatMessage {
  if (message.role !== 'assistant') return { ...message };
  const { content, tool_calls, reasoning = [] } = message;
  return { role: 'assistant', content, ...(tool_calls && { tool_calls }), ...reasoningFields(reasoning) };
}

async function partOf({ assets, owner, sees }: ShowParts, id: string): Promise<Part> {
  if (!sees()) return words('An image is here, but this model cannot see it.');
  const view = await viewOf(assets, owner, id);
  if (view === null) return words('An image was here; it has been deleted.');
  const url = `data:${VIEW_TYPE};base64,${Buffer.from(view).toString('base64')}`;
  return { type: 'image_url', image_url: { url } };
}

async function viewOf(assets: ShowParts['assets'], owner: Owner, id: string): Promise<Uint8Array | null> {
  const record = await assets.get(owner, id);
  try {
    return record === null ? null : await assets.view(record);
  } catch (error) {
    if (error instanceof ChorusError && error.code === 'not_found') return null;
    throw error;
  }
}

const words = (text: string): Part => ({ type: 'text', text });

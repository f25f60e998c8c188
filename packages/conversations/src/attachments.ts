import { isId } from '@chorus/contract';

/** Returns the documents among a message's attachments. */
export function documentsOf(attachments: readonly string[]): string[] {
  return attachments.filter((id) => isId('knowledge', id));
}

/** Returns the images among a message's attachments. */
export function imagesOf(attachments: readonly string[]): string[] {
  return attachments.filter((id) => isId('asset', id));
}

import type { AssetFacts } from '@chorus/contract';
import type { ToolCallContext, ToolResult } from '../agent-tool.ts';
import type { Redact } from '../redact.ts';
import { bounded } from '../tool-results.ts';
import { cleanLine, cleanResult } from '../untrusted-text.ts';
import { type CallResult, contentBlock } from './mcp-schemas.ts';

/** Stores a file created by a tool. Without it, files are only described. */
export type SaveFile = (
  file: { bytes: Uint8Array; filename: string | null },
  call: Pick<ToolCallContext, 'owner' | 'executionId' | 'signal'>,
) => Promise<AssetFacts>;

const MAX_BLOCKS = 200;
const MAX_FILES = 10;
const MAX_FILE_CHARS = 14_000_000;
const MAX_LINE = 500;

/** Converts the content of a result to text and assets. */
export async function presentResult(
  { content, structuredContent, isError }: CallResult,
  { call, saveFile, redact }: { call: ToolCallContext; saveFile: SaveFile | undefined; redact: Redact },
): Promise<ToolResult> {
  const parts: string[] = [];
  const assets: AssetFacts[] = [];

  const addFile = async (what: string, data: string, mimeType: string | undefined, uri?: string) => {
    const type = cleanLine(mimeType ?? 'unknown type', 100);
    const bytes = Math.floor((data.length * 3) / 4);
    const name = uri === undefined ? '' : `, ${cleanLine(uri, MAX_LINE)}`;
    if (saveFile === undefined || assets.length >= MAX_FILES || data.length > MAX_FILE_CHARS) {
      parts.push(`[${what}, not stored: ${type}, ${bytes} bytes${name}]`);
      return;
    }
    try {
      const asset = await saveFile({ bytes: Buffer.from(data, 'base64'), filename: fileNameOf(uri) }, call);
      assets.push(asset);
      parts.push(`[${what}: asset ${asset.id}, ${asset.mime_type}, ${asset.size_bytes} bytes${name}]`);
    } catch {
      call.signal.throwIfAborted();
      parts.push(`[${what}, could not be stored: ${type}, ${bytes} bytes${name}]`);
    }
  };

  for (const given of content.slice(0, MAX_BLOCKS)) {
    const parsed = contentBlock.safeParse(given);
    if (!parsed.success) {
      parts.push('[A part that is not valid MCP]');
      continue;
    }
    const block = parsed.data;
    if (block.type === 'text') parts.push(cleanResult(block.text));
    else if (block.type === 'image') await addFile('Image', block.data, block.mimeType);
    else if (block.type === 'audio') await addFile('Audio', block.data, block.mimeType);
    else if (block.type === 'resource_link') {
      const { name, uri, description } = block;
      const about = description === undefined ? '' : ` – ${cleanLine(description, MAX_LINE)}`;
      parts.push(`[Link: ${cleanLine(name, MAX_LINE)}, ${cleanLine(uri, MAX_LINE)}${about}]`);
    } else {
      const { uri, text, blob, mimeType } = block.resource;
      if (text !== undefined) parts.push(`[Resource: ${cleanLine(uri, MAX_LINE)}]\n${cleanResult(text)}`);
      else if (blob !== undefined) await addFile('Resource', blob, mimeType, uri);
    }
  }
  if (content.length > MAX_BLOCKS) parts.push(`[${content.length - MAX_BLOCKS} more parts were left out]`);
  // Servers repeat structured content as text.
  if (content.length === 0 && structuredContent !== undefined)
    parts.push(cleanResult(JSON.stringify(structuredContent)));
  const text = bounded(redact(parts.join('\n\n'))) || '[The tool returned nothing]';
  return { text, ...(isError === true && { isError }), ...(assets.length > 0 && { assets }) };
}

function fileNameOf(uri: string | undefined): string | null {
  const last = uri?.split(/[?#]/, 1)[0]?.split(/[/\\]/).at(-1) ?? '';
  return last === '' ? null : cleanLine(last, 200);
}

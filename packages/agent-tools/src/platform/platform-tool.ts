import type { ToolConfig } from '../tool-config.ts';
import { generateImage } from './generate-image.ts';
import { knowledgeSearch } from './knowledge-search.ts';
import type { PlatformParts } from './platform-parts.ts';
import { readDocument } from './read-document.ts';
import type { PlatformTool } from './tool-arguments.ts';
import { webFetch } from './web-fetch.ts';

type PlatformConfig = Exclude<ToolConfig, { type: 'http' | 'mcp' }>;

/** Returns a tool of the platform. Null: a required port is missing. */
export function platformTool(parts: PlatformParts, config: PlatformConfig): PlatformTool | null {
  const { findPassages, readFile, assets, readEntry, generateImage: generate } = parts;
  switch (config.type) {
    case 'knowledge_search':
      return findPassages === undefined ? null : knowledgeSearch(findPassages, config.tags);
    case 'web_fetch':
      return readFile === undefined ? null : webFetch(parts, readFile);
    case 'read_document':
      if (readFile === undefined || assets === undefined || readEntry === undefined) return null;
      return readDocument({ readFile, assets, readEntry });
    case 'generate_image':
      return generate === undefined ? null : generateImage(generate, config.model);
    default:
      return config satisfies never;
  }
}

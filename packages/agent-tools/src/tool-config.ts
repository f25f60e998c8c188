/** The tools of an agent, as its record lists them. */
export type ToolConfig =
  | { type: 'knowledge_search'; tags?: string[] | undefined }
  | { type: 'web_fetch' }
  | { type: 'generate_image'; model?: string | undefined }
  | { type: 'read_document' }
  | { type: 'http'; api_id: string; operations?: string[] | undefined }
  | { type: 'mcp'; server_id: string; allowed_tools?: string[] | undefined };

export type ConfigOf<Type extends ToolConfig['type']> = Extract<ToolConfig, { type: Type }>;

/** The columns that make a `StoredChunk`. */
export const STORED_COLUMNS = [
  'id',
  'scope_key',
  'entry_id',
  'revision',
  'tags',
  'title',
  'text',
  'heading_path',
  'page',
  'position',
];

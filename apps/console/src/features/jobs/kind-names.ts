/** Names of the kinds of jobs, as people read them. */
export const kindNames = {
  'chat.completion': 'Answer',
  'iris.image': 'Images',
  'iris.video': 'Video',
  'iris.ocr': 'Reading',
  'iris.verify': 'Verification',
  'knowledge.ingest': 'Document',
  'knowledge.ask': 'Question',
  'knowledge.search': 'Search',
  'voice.turn': 'Spoken turn',
} as const;
export type JobKind = keyof typeof kindNames;

export const isJobKind = (kind: string | null): kind is JobKind => kind !== null && Object.hasOwn(kindNames, kind);

export const kindName = (kind: string): string => (isJobKind(kind) ? kindNames[kind] : kind);

/** What kinds of jobs are called. */
export const kindNames: Readonly<Record<string, string>> = {
  'chat.completion': 'Answer',
  'iris.image': 'Images',
  'iris.video': 'Video',
  'iris.ocr': 'Reading',
  'iris.verify': 'Verification',
  'knowledge.ingest': 'Document',
  'knowledge.ask': 'Question',
  'knowledge.search': 'Search',
  'voice.turn': 'Spoken turn',
};

export const kindName = (kind: string) => kindNames[kind] ?? kind;

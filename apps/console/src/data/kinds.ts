import type { Kind } from '@chorus/client';
import { useQuery } from '@tanstack/react-query';
import { t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';
import { useScope } from '../scope/scope-context.tsx';

const NO_KINDS: readonly Kind[] = [];

const LABELS: Readonly<Record<string, MessageKey>> = {
  'chat.completion': 'components.kindAnswer',
  'chat.title': 'components.kindTitle',
  embedding: 'components.kindEmbeddings',
  'iris.image': 'components.kindImages',
  'iris.ocr': 'components.kindOcr',
  'iris.upscale': 'components.kindUpscale',
  'iris.verify': 'components.kindVerification',
  'iris.video': 'components.kindVideo',
  'knowledge.ask': 'components.kindQuestion',
  'knowledge.ingest': 'components.kindDocument',
  'knowledge.read': 'components.kindReading',
  'knowledge.search': 'components.kindSearch',
  response: 'components.kindResponse',
  speech: 'components.kindSpeech',
  transcription: 'components.kindTranscription',
  'voice.turn': 'components.kindVoiceTurn',
};

/** Returns every kind of work, with labels in the user's language. Loaded once: the list changes with a release. */
export function useKinds(): readonly Kind[] {
  const { client } = useScope();
  const { data = NO_KINDS } = useQuery({
    queryKey: ['kinds'],
    queryFn: async ({ signal }) => (await client.kinds.list({ signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    select: withLabels,
  });
  return data;
}

const withLabels = (kinds: readonly Kind[]): Kind[] =>
  kinds.map((kind) => {
    const key = LABELS[kind.kind];
    return key === undefined ? kind : { ...kind, label: t(key) };
  });

/** Returns a function that maps a kind to its label. */
export function useKindName(): (kind: string) => string {
  const kinds = useKinds();
  return (kind) => kinds.find((one) => one.kind === kind)?.label ?? kind;
}

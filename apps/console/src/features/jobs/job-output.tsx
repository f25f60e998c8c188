import type { OutputItem, ToolCallItem } from '@chorus/client';
import { Anchor, Group, Image, Text } from '@mantine/core';
import { Link } from 'wouter';
import { AgentSteps } from '../../components/agent-steps/agent-steps.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { useSources } from '../../components/sources.tsx';
import { Reasoning, ToolCalls } from '../../components/thoughts.tsx';
import { sameOriginUrl } from '../../data/files.ts';
import { t } from '../../i18n/i18n.ts';

export function JobOutput({ output }: { output: readonly OutputItem[] }) {
  const { reference, list } = useSources(output.filter((item) => item.type === 'citation'));
  const assets = output.flatMap((item) => (item.type === 'asset' ? item.asset : []));
  if (output.length === 0) return null;
  return (
    <div>
      {output.map((item, index) =>
        isStep(item) ? (
          // A row of calls is shown at its first one.
          !isStep(output[index - 1]) && <AgentSteps key={item.id} calls={stepsFrom(output, index)} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: output items are identified by position
          <TextualItem key={index} item={item} reference={reference} />
        ),
      )}
      {list}
      <Group gap="xs">
        {assets.map(({ id, url, thumbnail_url, filename, mime_type }) => (
          <Anchor key={id} href={sameOriginUrl(url)} target="_blank" rel="noreferrer">
            {thumbnail_url === null ? (
              (filename ?? mime_type)
            ) : (
              <Image
                src={sameOriginUrl(thumbnail_url)}
                alt={filename ?? t('components.image')}
                h={96}
                w="auto"
                radius="md"
              />
            )}
          </Anchor>
        ))}
      </Group>
    </div>
  );
}

const isStep = (item: OutputItem | undefined): item is ToolCallItem =>
  item?.type === 'tool_call' && item.status !== 'requested';

function stepsFrom(output: readonly OutputItem[], start: number): ToolCallItem[] {
  const end = output.findIndex((item, index) => index > start && !isStep(item));
  return output.slice(start, end < 0 ? undefined : end).filter(isStep);
}

function TextualItem({ item, reference }: { item: OutputItem; reference: ReturnType<typeof useSources>['reference'] }) {
  switch (item.type) {
    case 'text':
      return <Markdown text={item.text} reference={reference} />;
    case 'refusal':
      return <Markdown text={item.refusal} />;
    case 'reasoning':
      return <Reasoning text={item.text} />;
    case 'tool_call':
      return <ToolCalls calls={[item]} />;
    case 'transcript':
      // A transcript with segments also comes as text.
      if (item.segments !== undefined) return null;
      return <Text fs="italic">{t('jobs.quoted', { text: item.text })}</Text>;
    case 'verification':
      return <Text>{item.summary}</Text>;
    case 'entry':
      return (
        <Anchor component={Link} href={`/knowledge/${item.entry_id}`}>
          {item.duplicate ? t('jobs.existingDocument') : t('components.document')}
        </Anchor>
      );
    case 'passage':
      return (
        <Text size="sm" mb="xs">
          {item.passage.text}
        </Text>
      );
    default:
      return null; // assets and citations are rendered together above; OCR output also comes as text
  }
}

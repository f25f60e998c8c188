import { TagsInput } from '@mantine/core';
import { useKnownTags } from '../../../data/queries.ts';
import { useChatSettings } from './use-chat-settings.ts';

export default function KnowledgeTags() {
  const { knowledgeTags, setKnowledgeTags } = useChatSettings();
  const { tags, note } = useKnownTags();
  return (
    <TagsInput
      label="Only documents tagged"
      description={['Leave empty for all documents', note].filter(Boolean).join('. ')}
      data={tags}
      value={knowledgeTags}
      onChange={setKnowledgeTags}
      comboboxProps={{ withinPortal: false }}
      maxTags={50}
      clearable
      // Loaded lazily, so the focus trap misses it.
      autoFocus
    />
  );
}

import { TagsInput } from '@mantine/core';
import { useKnownTags } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useChatSettings } from './use-chat-settings.ts';

export default function KnowledgeTags() {
  const { knowledgeTags, setKnowledgeTags } = useChatSettings();
  const { tags, note } = useKnownTags();
  return (
    <TagsInput
      label={t('components.onlyDocumentsTagged')}
      description={[t('conversation.leaveEmptyForAll'), note].filter(Boolean).join('. ')}
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

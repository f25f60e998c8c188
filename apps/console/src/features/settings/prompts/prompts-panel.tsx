import { ChatBubbleBottomCenterTextIcon } from '@heroicons/react/24/outline';
import { Dimmed } from '../../../components/text.tsx';
import { usePrompts } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { RecordCards } from '../record-cards.tsx';
import { PromptDialog } from './prompt-dialog.tsx';

export default function PromptsPanel() {
  const { client } = useScope();
  return (
    <RecordCards
      query={usePrompts()}
      hint={t('settings.promptsHint')}
      createLabel={t('settings.newPrompt')}
      empty={{
        title: t('settings.noPromptsYet'),
        icon: ChatBubbleBottomCenterTextIcon,
        hint: t('settings.noPromptsHint'),
        viewerHint: t('settings.noPromptsViewer'),
      }}
      renderCard={({ content }) => (
        <Dimmed lineClamp={4} my="xs">
          <bdi>{content}</bdi>
        </Dimmed>
      )}
      renderDialog={({ record, ...dialog }) => <PromptDialog prompt={record} {...dialog} />}
      deletion={{
        title: t('settings.deleteThisPrompt'),
        hint: t('settings.deletePromptHint'),
        run: (id) => client.prompts.delete(id),
      }}
    />
  );
}

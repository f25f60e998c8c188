import { AdjustmentsHorizontalIcon, BookOpenIcon, PaperClipIcon, TagIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, FileButton, Group, Popover, Select, Tooltip } from '@mantine/core';
import { lazy, memo, Suspense } from 'react';
import { READABLE_DOCUMENTS } from '../../../components/accepted-files.ts';
import { Loading } from '../../../components/placeholders.tsx';
import { useModels } from '../../../data/queries.ts';
import { t, withMessages } from '../../../i18n/i18n.ts';
import classes from './composer.module.css';
import { InstructionsToggle } from './instructions-toggle.tsx';
import { useChatSettings } from './use-chat-settings.ts';
import { useModelParameters, useOfferedParameters } from './use-model-parameters.ts';

const KnowledgeTags = lazy(withMessages(['conversation', 'components'], () => import('./knowledge-tags.tsx')));
const ParametersForm = lazy(withMessages(['conversation', 'components'], () => import('./parameters-form.tsx')));

interface ComposerOptionsProps {
  conversation: string;
  onFiles: (files: readonly File[]) => void;
}

/** The buttons below the message. Not rendered again while the user types. */
export const ComposerOptions = memo(({ conversation, onFiles }: ComposerOptionsProps) => (
  <Group gap={6} wrap="nowrap" className={classes.options}>
    <FileButton accept={READABLE_DOCUMENTS} multiple onChange={onFiles}>
      {(props) => (
        <Tooltip label={t('chat.attachFiles')}>
          <ActionIcon {...props} variant="subtle" color="gray" size="lg" aria-label={t('chat.attachFiles')}>
            <PaperClipIcon />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
    <KnowledgeToggle />
    <ModelPicker />
    <ParametersButton conversation={conversation} />
    <InstructionsToggle conversation={conversation} />
  </Group>
));

const KnowledgeToggle = memo(() => {
  const { usesKnowledge, setUsesKnowledge, knowledgeTags } = useChatSettings();
  const scopeLabel = knowledgeTags.length === 0 ? t('chat.allDocuments') : knowledgeTags.join(', ');
  return (
    <>
      <Tooltip label={usesKnowledge ? t('chat.knowledgeIsOn') : t('chat.knowledgeIsOff')}>
        <Button
          size="compact-sm"
          variant={usesKnowledge ? 'light' : 'subtle'}
          color={usesKnowledge ? undefined : 'gray'}
          leftSection={<BookOpenIcon />}
          className={classes.option}
          aria-label={t('common.knowledge')}
          aria-pressed={usesKnowledge}
          onClick={() => setUsesKnowledge(!usesKnowledge)}
        >
          <span className={classes.optionLabel}>{t('common.knowledge')}</span>
        </Button>
      </Tooltip>
      {usesKnowledge && (
        <Popover position="top-start" width={300} trapFocus returnFocus>
          <Popover.Target>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<TagIcon />}
              className={classes.option}
              aria-label={t('chat.searchIn', { documents: scopeLabel })}
            >
              <span className={classes.optionLabel}>{scopeLabel}</span>
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Suspense fallback={<Loading />}>
              <KnowledgeTags />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
});

const DEFAULT = 'default';

const ModelPicker = memo(() => {
  const { model, setModel } = useChatSettings();
  const models = useModels('chat');
  // Keeps showing a selected model that is not available, because requests still name it.
  const ids = [...new Set([...models.map(({ id }) => id), ...(model === null ? [] : [model])])];
  const defaultLabel = t('common.defaultModel');
  const label = model ?? defaultLabel;
  return (
    <div className={classes.model}>
      {/* Makes the input as wide as its text. */}
      <span className={classes.modelName} aria-hidden>
        {label}
      </span>
      <Select
        className={classes.modelInput}
        size="xs"
        variant="unstyled"
        aria-label={t('common.model')}
        data={[{ value: DEFAULT, label: defaultLabel }, ...ids.map((id) => ({ value: id, label: id }))]}
        value={model ?? DEFAULT}
        onChange={(value) => setModel(value === null || value === DEFAULT ? null : value)}
        searchable={ids.length > 8}
        allowDeselect={false}
        comboboxProps={{ width: 280, position: 'top-start' }}
      />
    </div>
  );
});

/** Sets temperature, reasoning effort, and maximum length, if the model accepts them. */
const ParametersButton = memo(({ conversation }: { conversation: string }) => {
  const { parameters, setParameters } = useModelParameters(conversation);
  const offered = useOfferedParameters();
  if (!offered.temperature && offered.efforts.length === 0 && !offered.max_tokens) return null;
  const count = Object.keys(parameters).length;
  const label = count === 0 ? t('chat.modelParameters') : t('chat.modelParametersChanged', { count });
  return (
    <Popover position="top-start" width={300} trapFocus returnFocus>
      {/* The target must be inside, so that its id reaches the button. */}
      <Tooltip label={label}>
        <Popover.Target>
          <ActionIcon
            variant={count === 0 ? 'subtle' : 'light'}
            color={count === 0 ? 'gray' : undefined}
            aria-label={label}
          >
            <AdjustmentsHorizontalIcon />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown>
        <Suspense fallback={<Loading />}>
          <ParametersForm offered={offered} parameters={parameters} onChange={setParameters} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
});

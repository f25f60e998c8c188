import { ArrowUpIcon } from '@heroicons/react/24/outline';
import { StopIcon } from '@heroicons/react/24/solid';
import { ActionIcon, Group, Textarea } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  type DragEvent,
  type KeyboardEvent,
  lazy,
  Suspense,
  useCallback,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Dimmed } from '../../../components/text.tsx';
import { t, withMessages } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { DictationButtons } from '../dictation/dictation-buttons.tsx';
import { usePromptMenu } from '../prompts/use-prompt-menu.tsx';
import { useAttachments } from './attachments/use-attachments.ts';
import classes from './composer.module.css';
import { ComposerOptions } from './composer-options.tsx';
import { drafts } from './drafts.ts';
import { ImageNotice } from './image-notice.tsx';
import { useBlindness } from './image-support.ts';

/** Without it, scripts measure the text on every keystroke, which lays out the page twice. */
const GROWS_BY_ITSELF = CSS.supports('field-sizing', 'content');
const GROWING = { input: classes.growing };

const AttachmentChips = lazy(withMessages(['conversation'], () => import('./attachments/attachment-chips.tsx')));

export interface Draft {
  message: string;
  attachments?: string[];
}

interface ComposerProps {
  /** Identifies the conversation; `new` for one that does not exist yet. */
  draftKey: string;
  isAnswering: boolean;
  /** Whether a turn is being started or stopped. */
  isBusy: boolean;
  /** Rejects if sending failed; the draft is then restored. */
  onSend: (draft: Draft) => Promise<unknown>;
  onStop?: () => void;
}

export function Composer(props: ComposerProps) {
  const { isKnown, isAtLeast } = useRole();
  const { storageKey } = useScope();
  if (!isKnown || isAtLeast('editor'))
    return <MessageForm {...props} conversation={props.draftKey} draftKey={`${storageKey}.${props.draftKey}`} />;
  return (
    <Dimmed ta="center" p="md">
      {t('chat.viewersCannotWrite')}
    </Dimmed>
  );
}

interface MessageFormProps extends ComposerProps {
  conversation: string;
}

function MessageForm({ conversation, draftKey, isAnswering, isBusy, onSend, onStop }: MessageFormProps) {
  const text = useSyncExternalStore(drafts.subscribe, () => drafts.read(draftKey));
  const attachments = useAttachments();
  const input = useRef<HTMLTextAreaElement>(null);
  const [isOver, setIsOver] = useState(false);
  const blindness = useBlindness(attachments.hasImages);
  const canSend = text.trim() !== '' && !isAnswering && !isBusy && !attachments.isUploading && blindness === null;
  useHotkeys([
    ['/', () => input.current?.focus()],
    ['Escape', () => isAnswering && onStop?.()],
  ]);

  const send = async () => {
    // A second click may arrive before the first one has been rendered.
    if (!canSend || drafts.isSending(draftKey)) return;
    const ids = attachments.ids;
    await drafts.send(draftKey, async (message) => {
      await onSend({ message, ...(ids.length > 0 && { attachments: ids }) });
      attachments.clear();
    });
  };
  const promptMenu = usePromptMenu(text, (chosen) => {
    drafts.write(draftKey, chosen);
    input.current?.focus();
  });
  const addText = useCallback(
    (words: string) => {
      const written = drafts.read(draftKey);
      drafts.write(draftKey, written === '' || /\s$/.test(written) ? written + words : `${written} ${words}`);
      input.current?.focus();
    },
    [draftKey],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.nativeEvent.isComposing && promptMenu.onKeyDown(event)) return;
    if (event.key === 'Escape' && isAnswering) onStop?.();
    // During composition with an input method, Enter confirms the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    attachments.add([...event.dataTransfer.files]);
  };

  return (
    <div className={classes.place}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button within also selects files */}
      <div
        className={classes.composer}
        data-over={isOver || undefined}
        onDrop={onDrop}
        onDragOver={onDragOver}
        onDragLeave={() => setIsOver(false)}
      >
        {promptMenu.menu}
        {attachments.attachments.length > 0 && (
          <Suspense>
            <AttachmentChips
              attachments={attachments.attachments}
              onRemove={attachments.remove}
              onFail={attachments.fail}
            />
          </Suspense>
        )}
        <ImageNotice blindness={blindness} />
        <Textarea
          ref={input}
          variant="unstyled"
          dir="auto"
          placeholder={t('chat.writeAMessage')}
          aria-label={t('chat.message')}
          {...promptMenu.inputProps}
          classNames={GROWS_BY_ITSELF ? GROWING : undefined}
          rows={1}
          autosize={!GROWS_BY_ITSELF}
          maxRows={10}
          value={text}
          onChange={(event) => drafts.write(draftKey, event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => attachments.add([...event.clipboardData.files])}
          autoFocus
        />
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <ComposerOptions conversation={conversation} onFiles={attachments.add} />
          <Group gap={4} wrap="nowrap">
            <DictationButtons onText={addText} />
            {isAnswering ? (
              <ActionIcon
                size="lg"
                radius="xl"
                color="red"
                onClick={onStop}
                loading={isBusy}
                aria-label={t('chat.stopAnswer')}
              >
                <StopIcon />
              </ActionIcon>
            ) : (
              <ActionIcon
                size="lg"
                radius="xl"
                onClick={send}
                loading={isBusy}
                disabled={!canSend}
                aria-label={t('common.send')}
              >
                <ArrowUpIcon />
              </ActionIcon>
            )}
          </Group>
        </Group>
      </div>
    </div>
  );
}

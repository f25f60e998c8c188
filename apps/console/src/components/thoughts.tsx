import { Text } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { rich } from '../i18n/rich.tsx';
import { Dimmed } from './text.tsx';
import classes from './thoughts.module.css';

/** Shows a model's reasoning, collapsed. */
export function Reasoning({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <details className={classes.reasoning}>
      <summary>{t('components.reasoning')}</summary>
      <Text size="sm" className={classes.words} dir="auto">
        {text}
      </Text>
    </details>
  );
}

interface ToolCallsProps {
  calls: readonly { id: string; name: string; arguments: string }[];
}

/** Lists the tool calls of an answer. */
export function ToolCalls({ calls }: ToolCallsProps) {
  if (calls.length === 0) return null;
  return (
    <ul className={classes.calls} aria-label={t('components.toolCalls')}>
      {calls.map(({ id, name, arguments: json }) => (
        <li key={id}>{rich('components.calls', { name: <strong>{name}</strong>, json: <code>{json}</code> })}</li>
      ))}
    </ul>
  );
}

/** Shows what a tool returned. */
export function ToolResult({ text }: { text: string }) {
  return (
    <div>
      <Dimmed size="xs">{t('components.toolResult')}</Dimmed>
      <pre className={classes.result} dir="auto">
        {text}
      </pre>
    </div>
  );
}

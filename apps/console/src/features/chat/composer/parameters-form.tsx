import { Button, NumberInput, Select, Slider, Stack, Text } from '@mantine/core';
import { formatNumber, t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import type { ModelParameters, Offered } from './model-parameters.ts';

interface ParametersFormProps {
  offered: Offered;
  parameters: ModelParameters;
  onChange: (parameters: ModelParameters) => void;
}

const DEFAULT = 'default';

/** Loaded when it is opened. */
export default function ParametersForm({ offered, parameters, onChange }: ParametersFormProps) {
  const { temperature, reasoning_effort, max_tokens } = parameters;
  const change = <Name extends keyof ModelParameters>(name: Name, value: ModelParameters[Name] | undefined) => {
    const { [name]: _, ...others } = parameters;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <Stack gap="md">
      {offered.temperature && (
        <div>
          <Text size="sm" fw={500} id="temperature-label">
            {temperature === undefined
              ? t('conversation.temperatureDefault')
              : t('conversation.temperatureIs', { value: formatNumber(temperature) })}
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            {t('conversation.temperatureHint')}
          </Text>
          <Slider
            thumbProps={{ 'aria-labelledby': 'temperature-label' }}
            min={0}
            max={2}
            step={0.1}
            label={null}
            value={temperature ?? 1}
            onChange={(value) => change('temperature', Math.round(value * 10) / 10)}
          />
        </div>
      )}
      {offered.efforts.length > 0 && (
        <Select
          label={t('conversation.reasoningEffort')}
          description={t('conversation.effortHint')}
          data={[DEFAULT, ...offered.efforts].map((value) => ({ value, label: labelOf(value) }))}
          value={reasoning_effort ?? DEFAULT}
          onChange={(value) =>
            change(
              'reasoning_effort',
              offered.efforts.find((effort) => effort === value),
            )
          }
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
        />
      )}
      {offered.max_tokens && (
        <NumberInput
          label={t('conversation.maximumLength')}
          description={t('conversation.lengthHint')}
          placeholder={t('conversation.theModelsLimit')}
          min={1}
          max={1_000_000}
          step={256}
          allowDecimal={false}
          value={max_tokens ?? ''}
          onChange={(value) => change('max_tokens', typeof value === 'number' && value >= 1 ? value : undefined)}
        />
      )}
      <Button variant="default" size="xs" disabled={Object.keys(parameters).length === 0} onClick={() => onChange({})}>
        {t('conversation.useTheDefaults')}
      </Button>
    </Stack>
  );
}

const labelOf = (effort: string) => {
  const key = LABELS[effort];
  return key === undefined ? effort : t(key);
};

const LABELS: Readonly<Record<string, MessageKey>> = {
  [DEFAULT]: 'conversation.effortDefault',
  none: 'conversation.effortNone',
  minimal: 'conversation.effortMinimal',
  low: 'conversation.effortLow',
  medium: 'conversation.effortMedium',
  high: 'conversation.effortHigh',
  xhigh: 'conversation.effortExtraHigh',
};

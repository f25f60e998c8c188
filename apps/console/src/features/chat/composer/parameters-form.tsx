import { Button, NumberInput, Select, Slider, Stack, Text } from '@mantine/core';
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
            Temperature: {temperature ?? 'default'}
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            Low values keep to the point, high values vary more.
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
          label="Reasoning effort"
          description="More effort takes more time and tokens"
          data={[DEFAULT, ...offered.efforts].map((value) => ({ value, label: LABELS[value] ?? value }))}
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
          label="Maximum length"
          description="In tokens; four characters are about one token"
          placeholder="The model’s limit"
          min={1}
          max={1_000_000}
          step={256}
          allowDecimal={false}
          value={max_tokens ?? ''}
          onChange={(value) => change('max_tokens', typeof value === 'number' && value >= 1 ? value : undefined)}
        />
      )}
      <Button variant="default" size="xs" disabled={Object.keys(parameters).length === 0} onClick={() => onChange({})}>
        Use the defaults
      </Button>
    </Stack>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  [DEFAULT]: 'Default',
  none: 'None',
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
};

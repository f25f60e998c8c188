import type { OutputItem, Verification } from '@chorus/client';
import { Alert, Badge, Table, Text } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';

const VERDICTS: Record<Verification['verdict'], { title: MessageKey; color: string }> = {
  made_here: { title: 'studio.madeHere', color: 'teal' },
  made_here_altered: { title: 'studio.madeHereThenChanged', color: 'yellow' },
  made_elsewhere: { title: 'studio.madeElsewhere', color: 'indigo' },
  not_found: { title: 'studio.unknownOrigin', color: 'gray' },
};
const CHECKS: Record<Verification['checks'][number]['check'], MessageKey> = {
  provenance: 'studio.signedRecord',
  ledger: 'studio.knownContent',
  similarity: 'studio.knownAppearance',
  expected_text: 'studio.expectedText',
  prompt: 'studio.expectedContent',
};
const COLORS: Record<Verification['checks'][number]['result'], string> = {
  match: 'teal',
  mismatch: 'red',
  absent: 'gray',
  uncertain: 'yellow',
  skipped: 'gray',
};

const OUTCOMES: Record<Verification['checks'][number]['result'], MessageKey> = {
  match: 'studio.outcomeMatch',
  mismatch: 'studio.outcomeMismatch',
  absent: 'studio.outcomeAbsent',
  uncertain: 'studio.outcomeUncertain',
  skipped: 'studio.outcomeSkipped',
};

export function VerifyResult({ output }: { output: readonly (OutputItem | undefined)[] }) {
  const result = output.find((item) => item?.type === 'verification');
  if (result === undefined) return null;
  const { title, color } = VERDICTS[result.verdict];
  return (
    <>
      <Alert color={color} title={t(title)}>
        {result.summary}
      </Alert>
      <Table.ScrollContainer minWidth={320} mt="sm">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('studio.check')}</Table.Th>
              <Table.Th>{t('components.result')}</Table.Th>
              <Table.Th>{t('components.reason')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {result.checks.map(({ check, result: outcome, reason }) => (
              <Table.Tr key={check}>
                <Table.Td>{t(CHECKS[check])}</Table.Td>
                <Table.Td>
                  <Badge variant="dot" color={COLORS[outcome]} tt="none">
                    {t(OUTCOMES[outcome])}
                  </Badge>
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{reason}</Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

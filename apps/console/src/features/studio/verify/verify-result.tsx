import type { OutputItem, Verification } from '@chorus/client';
import { Alert, Badge, Table, Text } from '@mantine/core';

const VERDICTS: Record<Verification['verdict'], { title: string; color: string }> = {
  made_here: { title: 'Made here', color: 'teal' },
  made_here_altered: { title: 'Made here, then changed', color: 'yellow' },
  made_elsewhere: { title: 'Made elsewhere', color: 'indigo' },
  not_found: { title: 'Unknown origin', color: 'gray' },
};
const CHECKS: Record<Verification['checks'][number]['check'], string> = {
  provenance: 'Signed record',
  ledger: 'Known content',
  similarity: 'Known appearance',
  expected_text: 'Expected text',
  prompt: 'Expected content',
};
const COLORS: Record<Verification['checks'][number]['result'], string> = {
  match: 'teal',
  mismatch: 'red',
  absent: 'gray',
  uncertain: 'yellow',
  skipped: 'gray',
};

export function VerifyResult({ output }: { output: readonly (OutputItem | undefined)[] }) {
  const result = output.find((item) => item?.type === 'verification');
  if (result === undefined) return null;
  const { title, color } = VERDICTS[result.verdict];
  return (
    <>
      <Alert color={color} title={title}>
        {result.summary}
      </Alert>
      <Table.ScrollContainer minWidth={320} mt="sm">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Check</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {result.checks.map(({ check, result: outcome, reason }) => (
              <Table.Tr key={check}>
                <Table.Td>{CHECKS[check]}</Table.Td>
                <Table.Td>
                  <Badge variant="dot" color={COLORS[outcome]} tt="none">
                    {outcome}
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

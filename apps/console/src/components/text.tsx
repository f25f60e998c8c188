import { Text, type TextProps, Title, type TitleProps } from '@mantine/core';
import type { ReactNode } from 'react';

export function Dimmed({ size = 'sm', ...rest }: TextProps & { children?: ReactNode }) {
  return <Text size={size} c="dimmed" {...rest} />;
}

export function SectionTitle(props: Omit<TitleProps, 'order' | 'size'>) {
  return <Title order={2} size="h5" {...props} />;
}

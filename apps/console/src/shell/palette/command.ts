import type { ComponentType, SVGProps } from 'react';

/** A line of the palette. */
export interface Command {
  id: string;
  label: string;
  /** Shown after the label, such as where a page is. */
  hint?: string | undefined;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  keys?: readonly string[];
  run: () => void;
}

export interface CommandGroup {
  label: string;
  commands: readonly Command[];
}

/** Returns whether each word of the query begins a word of the command, in any order. */
export function matches(query: string, { label, hint = '' }: Pick<Command, 'label' | 'hint'>): boolean {
  const words = `${label} ${hint}`.toLowerCase().split(/\s+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** Returns the groups that have commands. */
export function withCommands(groups: readonly CommandGroup[]): CommandGroup[] {
  return groups.filter(({ commands }) => commands.length > 0);
}

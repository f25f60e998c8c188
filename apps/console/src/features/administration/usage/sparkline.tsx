const HEIGHT = 28;
const WIDTH = 140;
const GAP = 1;

interface SparklineProps {
  values: readonly number[];
  /** The value of the highest bar, the same for all compared charts. */
  most: number;
  label: string;
  /** Whether it fills the available width. */
  isWide?: boolean;
}

/** A small bar chart. */
export function Sparkline({ values, most, label, isWide = false }: SparklineProps) {
  const step = WIDTH / values.length;
  return (
    <svg
      width={isWide ? '100%' : WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      display="block"
      role="img"
      aria-label={label}
      fill="var(--mantine-primary-color-filled)"
    >
      {values.map((value, at) => {
        // Even little usage is visible.
        const height = value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: one bar for each day
            key={at}
            x={at * step}
            y={HEIGHT - height}
            width={Math.max(1, step - GAP)}
            height={height}
            rx={1}
            opacity={value === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}

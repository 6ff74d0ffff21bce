interface Combination {
  readonly width: 390 | 1280;
  readonly script: boolean;
  readonly language: 'en' | 'ja';
  readonly colorScheme: 'light' | 'dark';
}

const combinations: readonly Combination[] = ([390, 1280] as const).flatMap((width) =>
  [true, false].flatMap((script) =>
    (['en', 'ja'] as const).flatMap((language) =>
      (['light', 'dark'] as const).map((colorScheme): Combination => ({ width, script, language, colorScheme })),
    ),
  ),
);

/** True for four combinations. Each width, language, script setting and scheme appears twice. */
const isUsual = ({ width, script, language, colorScheme }: Combination): boolean =>
  script === (language === 'en') && (colorScheme === 'dark') === (script === (width === 390));

const isComplete = process.env.ALL_COMBINATIONS === '1';

/** Windows in which tests of the main paths run: four, or all 16 with `ALL_COMBINATIONS=1`. */
export const selectedCombinations = isComplete ? combinations : combinations.filter(isUsual);

/** Two windows with all languages, script settings and schemes, or all 16. */
export const phoneCombinations = isComplete ? combinations : selectedCombinations.filter(({ width }) => width === 390);

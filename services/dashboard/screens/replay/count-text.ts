/** The number of emails that match, in words. */
import { formatCount } from '../../parts/format.ts';
import { partsText } from '../../strings/parts.ts';
import type { MatchCount } from './replay-run.ts';

export const countText = ({ total, isAtLeast }: MatchCount): string =>
  (isAtLeast ? partsText.atLeast : String)(formatCount(total));

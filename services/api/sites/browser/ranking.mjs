/**
 * The order of what the search of the docs finds: a section counts by the words that occur in it, rare
 * words more than common ones, and words of titles more than those of texts. No word is required.
 */

/**
 * @typedef {{ href: string, page: string, section: string, text: string }} Section
 * @typedef {{ words: string[], hits: Section[] }} Found
 */

const IN_PAGE_TITLE = 4;
const IN_SECTION_TITLE = 4;
/** For the sections of a page, its title says what they are about. */
const IN_TITLE_OF_ITS_PAGE = 1.5;
const IN_TEXT = 1;
/** A word that only continues another one, such as `port` in `support`. */
const INSIDE_A_WORD = 0.3;
/** A short text is about each of its words, a long one about those that it repeats (BM25). */
const REPEATS_BEND = 1.2;
const USUAL_LENGTH = 900;
const LENGTH_COUNTS = 0.75;
/** What explains comes before what is only looked up. */
const LOOKED_UP = /\/(runbooks\/|project\/|CHANGELOG|architecture)/;
const LOOKED_UP_SHARE = 0.3;
/** They say nothing about a subject. A question of such words only is searched as it is. */
const EVERYWHERE = new Set(
  (
    'a an and are as at be by can could do does for from get has have how i if in into inlet ' +
    'is it its many may me much must my of on one or our should so than that the their them ' +
    'then there this to two use using want was we what when where which who why will with you ' +
    'your'
  ).split(' '),
);

/** @param {string} asked @param {readonly Section[]} sections @returns {Found} the best first */
export function rank(asked, sections) {
  const words = subjectOf(asked);
  const texts = sections.map((section) => ({ section, ...lowerCase(section) }));
  const weights = words.map((word) => {
    const count = texts.filter(({ all }) => all.includes(word)).length;
    return count === 0 ? 0 : Math.log(1 + sections.length / count);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scored = texts.map((one) => {
    let score = 0;
    let found = 0;
    for (const [i, word] of words.entries()) {
      const worth = worthOf(one, word);
      if (worth === 0) continue;
      score += worth * (weights[i] ?? 0);
      found += weights[i] ?? 0;
    }
    const share = total === 0 ? 0 : found / total; // few words found: far below
    const place = LOOKED_UP.test(one.section.href) ? LOOKED_UP_SHARE : 1;
    return { section: one.section, score: score * share ** 2 * place };
  });
  const hits = scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ section }) => section);
  return { words, hits };
}

/** @param {string} asked */
function subjectOf(asked) {
  const all = asked
    .toLowerCase()
    .split(/[\s,;?!"“”()]+/)
    .filter(Boolean);
  const words = all.filter((word) => !EVERYWHERE.has(word));
  return [...new Set((words.length > 0 ? words : all).map(stemOf))];
}

/**
 * `retries` finds `retry`, `signing` finds `signs`, and the other way round.
 * @param {string} word
 */
const stemOf = (word) =>
  /^\p{L}{5,}$/u.test(word)
    ? word.replace(/(?<=.{3})(ations?|ying|ing|ies|ied|es|ed|y|e|s)$/u, '')
    : word;

/** @param {Section} section */
function lowerCase({ page, section, text }) {
  const lower = {
    page: page.toLowerCase(),
    title: section.toLowerCase(),
    text: text.toLowerCase(),
  };
  return { ...lower, all: `${lower.page}\n${lower.title}\n${lower.text}` };
}

/** @param {ReturnType<typeof lowerCase>} one @param {string} word */
function worthOf({ page, title, text }, word) {
  const ofPage = title === '' ? IN_PAGE_TITLE : IN_TITLE_OF_ITS_PAGE;
  return (
    ofPage * fitOf(page, word) +
    IN_SECTION_TITLE * fitOf(title, word) +
    IN_TEXT * repeatsOf(text, word)
  );
}

/** @param {string} text @param {string} word */
function fitOf(text, word) {
  const at = text.indexOf(word);
  if (at === -1) return 0;
  return startsWord(text, at) || text.includes(` ${word}`) ? 1 : INSIDE_A_WORD;
}

/** @param {string} text @param {string} word */
function repeatsOf(text, word) {
  const repeats = text.split(word).length - 1;
  const length = 1 - LENGTH_COUNTS + (LENGTH_COUNTS * text.length) / USUAL_LENGTH;
  return (fitOf(text, word) * repeats * (REPEATS_BEND + 1)) / (repeats + REPEATS_BEND * length);
}

/** @param {string} text @param {number} at */
const startsWord = (text, at) => at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));

/**
 * How links say that they end a subscription, compiled from the footers of newsletters in each
 * language.
 */
const WORDS = [
  ...['unsubscribe', 'opt out', 'opt-out', 'stop receiving', 'manage subscription'], // English
  ...['abbestellen', 'abmelden', 'austragen'], // German
  ...['désabonner', 'désinscri', 'desabonner', 'se désinscrire'], // French
  ...['darse de baja', 'darte de baja', 'cancelar suscripción', 'cancelar la suscripción'], // Spanish
  ...['descadastr', 'cancelar inscrição', 'cancelar a inscrição', 'cancelar subscrição'], // Portuguese
  ...['annulla iscrizione', "annulla l'iscrizione", 'disiscri', 'cancella iscrizione'], // Italian
  ...['uitschrijven', 'afmelden'], // Dutch
  ...['wypisz', 'rezygnacja z subskrypcji', 'zrezygnuj z subskrypcji', 'anuluj subskrypcję'], // Polish
  ...['отписаться', 'отписка', 'отказаться от рассылки'], // Russian
  ...['відписатися', 'скасувати підписку'], // Ukrainian
  ...['abonelikten çık', 'aboneliği iptal', 'listeden çık'], // Turkish
  ...['配信停止', '配信解除', '登録解除', '購読解除'], // Japanese
  ...['退订', '取消订阅', '退訂', '取消訂閱'], // Chinese
  ...['수신거부', '수신 거부', '구독 취소', '구독취소'], // Korean
  ...['إلغاء الاشتراك'], // Arabic
  ...['avregistrera', 'avprenumerera', 'avsluta prenumeration', 'afmeld', 'avmeld'], // Nordic languages
  ...['odhlásit', 'leiratkoz', 'dezabon', 'peruuta tilaus'], // Czech, Hungarian, Romanian, Finnish
];
const IN_URL = /unsub(?:scribe)?\b|unsubscribe|opt-?out|abmelden|desinscri|desabon/i;
const PATH_MAX_CHARS = 1024;

export function saysUnsubscribe(text: string, url: string): boolean {
  const lower = text.toLowerCase();
  return WORDS.some((word) => lower.includes(word)) || IN_URL.test(url.slice(0, PATH_MAX_CHARS));
}

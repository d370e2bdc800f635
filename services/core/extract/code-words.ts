/**
 * Words next to codes, compiled by hand from the wording of login and confirmation emails in each
 * language. `*` stands for any ending. Expressions of other numbers matter as much as those of codes.
 */
export type CodeWords = {
  /** Names nothing but a code for a login or a confirmation. */
  strong: readonly string[];
  /** Is often a code, but has other meanings. */
  weak: readonly string[];
  /** What a code is for. */
  action: readonly string[];
  /** Names another number: of an order, an invoice, a place … */
  other: readonly string[];
  /** Has a number, but can also be what a code is for: `to verify your account: 123456`. */
  thing: readonly string[];
};

const KIND = /^ *(strong|weak|action|other|thing):/m;

/** @param text each list after its name, with `|` between words; it may go on on the next line */
export function wordLists(text: string): CodeWords {
  const [, ...pieces] = text.split(KIND);
  const listOf = (kind: keyof CodeWords) =>
    (pieces[pieces.indexOf(kind) + 1] ?? '').replaceAll(/\n */g, '').trim().split('|');
  return {
    strong: listOf('strong'),
    weak: listOf('weak'),
    action: listOf('action'),
    other: listOf('other'),
    thing: listOf('thing'),
  };
}

export const WESTERN_CODE_WORDS: Readonly<Record<string, CodeWords>> = {
  en: wordLists(`
    strong: verification code|verification pin|verify code|security code|login code|log-in code|log in code|
      sign-in code|sign in code|signin code|access code|authentication code|authorization code|authorisation code|
      activation code|confirmation code|one-time code|one time code|single-use code|one-time password|
      one time password|one-time passcode|one time passcode|one-time pin|otp|otp code|temporary code|
      temporary password|passcode|pass code|2fa code|two-factor code|mfa code|2-step verification code|reset code|
      recovery code|pairing code|device code|unlock code|registration code|validation code|invite code|
      invitation code|magic code|digit code|digit pin
    weak: code|pin|pin code|token
    action: sign in|sign-in|signing in|log in|login|log-in|logging in|verify|verification|confirm your|enter|use|
      authenticate|authentication|enter the following|two-factor|2-step|reset your password
    other: order|order no|order number|order id|invoice*|receipt|tracking|shipment|parcel|reference*|ref|case|
      ticket|booking*|reservation|itinerary|policy|ending|ending in|ending with|tel|call|fax|amount|total|subtotal|
      balance|price|qty|quantity|sku|model|serial|build|room|flight|gate|seat|transaction|payment id|meeting id|
      webinar id|no|promo code|promotion code|promotional code|coupon*|coupon code|discount code|voucher code|
      offer code|gift code|gift card code|referral code|zip code|zip|postal code|post code|postcode|area code|
      country code|dialing code|error code|status code|exit code|response code|reason code|product code|item code|
      style code|color code|colour code|module code|course code|class code|project code|job code|lot code|
      batch code|cost code|hs code|dial code|station code|airport code|vendor code|supplier code|customer code|
      client code|department code|branch code|store code|plan code|charge code|part code|license key|licence key|
      product key|serial key|serial number|code review|code freeze|lines of code|line of code|pull request|module*|
      tax code|sort code|swift code|bank code|qr code|bar code|barcode|source code|dress code|code of|building code|
      hex code|tracking code|booking code|suite|p.o. box|po box|copyright|step|chapter|section|version
    thing: account|phone|phone number|telephone|mobile|card|customer*|member*|number|id|item|since|year|page|line|
      port|device`),
  de: wordLists(`
    strong: bestätigungscode*|verifizierungscode*|sicherheitscode*|anmeldecode*|login-code*|logincode*|einmalcode*|
      einmal-code*|einmalpasswort*|einmalkennwort*|zugangscode*|zugriffscode*|freischaltcode*|aktivierungscode*|
      authentifizierungscode*|einmal-pin|prüfcode*|wiederherstellungscode*|tan|mtan|kopplungscode*|
      registrierungscode*|einladungscode*|gerätecode*|stelliger code|stelligen code
    weak: code|codes|pin|kennung
    action: anmeld*|einloggen|bestätigen|bestätigung|verifizier*|anmeldung|zurücksetzen
    other: bestellung*|bestellnummer|bestell-nr|auftrag*|rechnung*|sendung*|sendungsnummer|paket*|kundennummer|
      kunden-nr|referenz*|vorgang*|ticket*|fall|buchung*|reservierung*|tel|fax|betrag|summe|gesamt|preis|artikel*|
      menge|vertrag*|raum|flug|nr|gutscheincode*|rabattcode*|aktionscode*|gutschein*|postleitzahl|plz|vorwahl|
      fehlercode*|qr-code*|länderkennung|version|buchungscode*
    thing: konto*|karte*|mitglied*|telefon|handynummer|rufnummer|nummer|jahr|seit|uhr|zeile|seite`),
  fr: wordLists(`
    strong: code de vérification|code de verification|code de sécurité|code de connexion|code de confirmation|
      code d'accès|code d’accès|code d'authentification|code d’authentification|code d'activation|code d’activation|
      code à usage unique|code unique|mot de passe à usage unique|code de validation|code temporaire|code secret|
      code de récupération|code de réinitialisation|mot de passe temporaire
    weak: code|pin|code pin
    action: connecter|connexion|vérifier|confirmer|identifier|saisissez|réinitialiser
    other: commande*|numéro de commande|facture*|colis|suivi|livraison|référence*|réf|dossier|ticket|réservation|
      tél|tel|appelez|montant|total|prix|article*|quantité|contrat|adhérent|salle|vol|n°|no|code promo*|
      code de réduction|code avantage|bon de réduction|code postal|code erreur|code d'erreur|code barre*|indicatif|
      version|code de réservation
    thing: compte|client|carte|téléphone|numéro|page|année|depuis`),
  es: wordLists(`
    strong: código de verificación|codigo de verificacion|código de seguridad|código de acceso|
      código de confirmación|código de inicio de sesión|código de autenticación|código de activación|
      código de un solo uso|código único|contraseña de un solo uso|contraseña temporal|clave dinámica|
      clave temporal|clave de acceso|código temporal|código de recuperación|código de validación
    weak: código|codigo|pin|clave
    action: iniciar sesión|inicia sesión|verificar|verifica|confirmar|confirma tu|introduce
    other: pedido*|número de pedido|factura*|envío|paquete|seguimiento|referencia|ref|caso|ticket|reserva*|tel|
      llame|llámanos|importe|total|precio|artículo*|cantidad|póliza|socio|sala|vuelo|nº|núm|código promocional|
      código de descuento|cupón|código postal|código de error|código qr|código de barras|código de reserva|
      código de área|prefijo|versión
    thing: cuenta|cliente|tarjeta|teléfono|número|página|año|desde`),
  pt: wordLists(`
    strong: código de verificação|codigo de verificacao|código de segurança|código de acesso|código de confirmação|
      código de autenticação|código de ativação|código de uso único|código único|código de login|senha temporária|
      senha de uso único|palavra-passe única|código temporário|código de recuperação|código de validação|
      código de início de sessão
    weak: código|codigo|pin|senha
    action: entrar|iniciar sessão|fazer login|verificar|confirmar|confirme|digite|insira
    other: pedido*|número do pedido|encomenda*|fatura*|nota fiscal|rastreio|rastreamento|envio|referência|protocolo|
      chamado|ticket|reserva*|tel|ligue|valor|total|preço|quantidade|apólice|sócio|sala|voo|nº|código promocional|
      código de desconto|cupom|cupão|cep|código postal|código de erro|código de barras|código de rastreio|
      código de reserva|ddd|versão|código de rastreio
    thing: conta|cliente|cartão|telefone|número|página|ano|desde`),
  it: wordLists(`
    strong: codice di verifica|codice di sicurezza|codice di accesso|codice di conferma|codice di autenticazione|
      codice di attivazione|codice monouso|codice usa e getta|password monouso|codice temporaneo|
      password temporanea|codice otp|codice di recupero|codice di convalida|codice di login
    weak: codice|pin
    action: accedere|accesso|verifica|verificare|conferma|confermare|inserisci
    other: ordine|numero ordine|fattura*|spedizione|pacco|tracciamento|riferimento|rif|pratica|ticket|prenotazione|
      tel|chiama*|importo|totale|prezzo|articolo|quantità|polizza|socio|sala|volo|n°|nr|codice promo*|codice sconto|
      coupon|buono|cap|codice postale|codice fiscale|codice errore|codice a barre|codice prenotazione|
      codice cliente|codice articolo|prefisso|versione
    thing: conto|cliente|carta|telefono|numero|pagina|anno|dal`),
  nl: wordLists(`
    strong: verificatiecode*|bevestigingscode*|beveiligingscode*|inlogcode*|toegangscode*|activatiecode*|
      authenticatiecode*|eenmalige code|eenmalig* wachtwoord*|tijdelijke code|aanmeldcode*|herstelcode*|
      eenmalige pincode|cijferige code
    weak: code|pincode|pin
    action: inloggen|aanmelden|bevestig*|verifi*|voer|wachtwoord herstellen
    other: bestelling*|bestelnummer|factuur*|zending|pakket*|track|referentie|zaak|ticket|boeking*|reservering*|
      klantnummer|tel|bel|bedrag|totaal|prijs|artikel*|aantal|polis|lidnummer|zaal|vlucht|nr|kortingscode*|
      actiecode*|waardebon|postcode|foutcode*|qr-code|barcode|netnummer|versie|boekingscode*
    thing: rekening*|klant|kaart|telefoon|nummer|pagina|jaar|sinds`),
  pl: wordLists(`
    strong: kod* weryfikacyjn*|kod* bezpieczeństwa|kod* dostępu|kod* potwierdz*|kod* logowania|kod* aktywacyjn*|
      kod* jednorazow*|jednorazow* kod*|hasło jednorazowe|jednorazowe hasło|kod* uwierzytelniając*|
      kod* autoryzacyjn*|kod* sms|hasło tymczasowe|kod* do logowania|cyfrow* kod*
    weak: kod*|pin|hasło
    action: zaloguj*|zalogować|logowani*|potwierdz*|zweryfik*|weryfikacj*|wpisz
    other: zamówieni*|numer zamówienia|faktur*|przesyłk*|paczk*|śledzenia|referencyjny|spraw*|zgłoszeni*|rezerwacj*|
      tel|kwota|kwoty|suma|razem|cena|artykuł*|ilość|polis*|sala|lot|nr|kod* rabatow*|kod* promocyjn*|kod* pocztow*|
      kod* błędu|kod* kreskow*|kupon*|kierunkow*|wersja|kod* rezerwacji
    thing: kont*|klient*|kart*|telefon*|numer*|strona|rok|roku|od`),
  sv: wordLists(`
    strong: verifieringskod*|säkerhetskod*|inloggningskod*|bekräftelsekod*|engångskod*|engångslösenord*|
      aktiveringskod*|åtkomstkod*|tillfällig kod|autentiseringskod*|återställningskod*|siffriga kod*
    weak: kod|koden|pin|pinkod*|pin-kod*
    action: logga in|inloggning*|bekräfta|verifiera|ange
    other: order*|beställning*|faktur*|försändelse*|paket*|spårning*|referens*|ärende*|bokning*|tel|ring|belopp|
      summa|totalt|pris|artikel*|antal|sal|flyg|nr|rabattkod*|kampanjkod*|presentkort*|postnummer|felkod*|qr-kod*|
      streckkod*|riktnummer|version|bokningskod*
    thing: konto*|kund*|kort*|telefon*|nummer|sida|år|sedan`),
  da: wordLists(`
    strong: bekræftelseskode*|sikkerhedskode*|engangskode*|loginkode*|login-kode*|verifikationskode*|
      verificeringskode*|adgangskode til engangsbrug|engangsadgangskode*|aktiveringskode*|godkendelseskode*|
      cifret kode|cifrede kode*
    weak: kode|koden|pin|pinkode*|pin-kode*
    action: log ind|logge ind|bekræft|bekræfte|verificer*|indtast*
    other: ordre*|bestilling*|faktura*|forsendelse*|pakke*|sporing*|reference*|sag|sagsnummer|booking*|reservation*|
      tlf|ring|beløb|i alt|pris|vare*|antal|sal|fly|nr|rabatkode*|kampagnekode*|gavekort*|postnummer|fejlkode*|
      qr-kode*|stregkode*|version|bookingkode*
    thing: konto*|kunde*|kort*|telefon*|nummer|side|år|siden`),
  nb: wordLists(`
    strong: bekreftelseskode*|sikkerhetskode*|engangskode*|innloggingskode*|verifiseringskode*|engangspassord*|
      aktiveringskode*|tilgangskode*|autentiseringskode*|sifret kode|sifrede kode*
    weak: kode|koden|pin|pinkode*|pin-kode*
    action: logg inn|logge inn|innlogging*|bekreft*|verifiser*|oppgi|skriv inn
    other: ordre*|bestilling*|faktura*|forsendelse*|pakke*|sporing*|referanse*|sak|saksnummer|booking*|reservasjon*|
      tlf|ring|beløp|totalt|pris|vare*|antall|sal|fly|nr|rabattkode*|kampanjekode*|gavekort*|postnummer|feilkode*|
      qr-kode*|strekkode*|versjon|bookingkode*
    thing: konto*|kunde*|kort*|telefon*|nummer|side|år|siden`),
  fi: wordLists(`
    strong: vahvistuskoodi*|turvakoodi*|kertakäyttökoodi*|kertakäyttöi* koodi*|kirjautumiskoodi*|tunnistuskoodi*|
      kertakäyttösalasana*|aktivointikoodi*|todennuskoodi*|numeroinen koodi*|numeroisen koodi*
    weak: koodi|koodin|koodisi|pin|pin-koodi*
    action: kirjaudu*|kirjautumi*|vahvista*|syöt*|anna koodi
    other: tilaus*|tilausnumero*|lasku*|lähetys*|lähetystunnus*|paketti*|paketin|seuranta*|viite*|asia|varaus*|puh|
      soita|summa|yhteensä|hinta|tuote*|määrä|lento*|nro|alennuskoodi*|kampanjakoodi*|lahjakort*|postinumero*|
      virhekoodi*|qr-koodi*|viivakoodi*|versio|varauskoodi*
    thing: tili*|asiakas*|kortti*|kortin|puhelin*|numero*|sivu|vuosi|vuonna`),
};

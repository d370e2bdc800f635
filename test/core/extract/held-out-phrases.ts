/**
 * Further phrases, which nobody looked at while the words of core/extract were chosen: they tell
 * how well the words do with others.
 */

export type HeldOutPhrases = {
  /** `{n}` is a code. */
  login: string;
  /** Above a code. */
  label: string;
  subject: string;
  /** `{m}` is a code with letters. */
  device: string;
  order: string;
  promotion: string;
  notice: string;
};

export const HELD_OUT_PHRASES: Readonly<Record<string, HeldOutPhrases>> = {
  en: {
    login: "{n} is your Globex passcode. Don't share it with anyone.",
    label: 'Here is the one-time password you asked for',
    subject: 'Globex sign-in: {n}',
    device:
      'To link your TV, type {m} on the pairing page. This device code is valid for 15 minutes.',
    order: 'Invoice 4{n} for your purchase on 3 March 2026 is attached. Amount due: 249.00 GBP.',
    promotion: 'Take 15% off everything! Enter {m} at the checkout.',
    notice:
      'Someone signed in to your account from 203.0.113.7 at 18:42 on 03/03/2026. Reference {n}.',
  },
  de: {
    login: '{n} ist Ihr Einmalpasswort für Globex. Teilen Sie es mit niemandem.',
    label: 'Ihr Sicherheitscode für die Anmeldung',
    subject: 'Globex-Anmeldung: Ihr Code {n}',
    device: 'Geben Sie auf dem Fernseher den Code {m} ein, um das Gerät zu verbinden.',
    order: 'Anbei die Rechnung Nr. 4{n} zu Ihrem Einkauf vom 03.03.2026 über 249,00 EUR.',
    promotion: '15 % auf alles! Einfach {m} an der Kasse eingeben.',
    notice: 'Neue Anmeldung am 03.03.2026 um 18:42 Uhr von 203.0.113.7. Vorgangsnummer {n}.',
  },
  fr: {
    login: '{n} est votre mot de passe à usage unique Globex. Ne le partagez pas.',
    label: 'Voici votre code de sécurité',
    subject: 'Connexion Globex : code {n}',
    device: 'Pour associer votre téléviseur, entrez le code {m} sur la page de connexion.',
    order: 'Votre facture n° 4{n} du 3 mars 2026, d’un montant de 249,00 €, est jointe.',
    promotion: '15 % de remise sur tout : entrez {m} lors du paiement.',
    notice: 'Nouvelle connexion le 03/03/2026 à 18:42 depuis 203.0.113.7. Référence {n}.',
  },
  es: {
    login: '{n} es tu contraseña de un solo uso de Globex. No la compartas.',
    label: 'Este es tu código de seguridad',
    subject: 'Globex: tu código es {n}',
    device: 'Para vincular tu televisor, escribe el código {m} en la página de acceso.',
    order: 'Adjuntamos la factura n.º 4{n} del 3 de marzo de 2026 por 249,00 EUR.',
    promotion: '¡15 % de descuento en todo! Escribe {m} al pagar.',
    notice: 'Nuevo inicio de sesión el 03/03/2026 a las 18:42 desde 203.0.113.7. Referencia {n}.',
  },
  pt: {
    login: '{n} é a sua senha de uso único da Globex. Não compartilhe.',
    label: 'Este é o seu código de segurança',
    subject: 'Globex: seu código é {n}',
    device: 'Para conectar sua TV, informe o código {m} na página de acesso.',
    order: 'Segue a fatura nº 4{n} de 3 de março de 2026 no valor de R$ 249,00.',
    promotion: '15% de desconto em tudo! Use {m} ao finalizar a compra.',
    notice: 'Novo acesso em 03/03/2026 às 18:42 a partir de 203.0.113.7. Protocolo {n}.',
  },
  it: {
    login: '{n} è la tua password monouso Globex. Non condividerla.',
    label: 'Ecco il tuo codice di sicurezza',
    subject: 'Globex: il tuo codice è {n}',
    device: 'Per collegare la TV, digita il codice {m} nella pagina di accesso.',
    order: 'In allegato la fattura n. 4{n} del 3 marzo 2026 di 249,00 EUR.',
    promotion: '15% di sconto su tutto! Digita {m} alla cassa.',
    notice: 'Nuovo accesso il 03/03/2026 alle 18:42 da 203.0.113.7. Riferimento {n}.',
  },
  nl: {
    login: '{n} is je eenmalige wachtwoord voor Globex. Deel het met niemand.',
    label: 'Dit is je beveiligingscode',
    subject: 'Globex: je code is {n}',
    device: 'Toets de code {m} in op de inlogpagina om je tv te koppelen.',
    order: 'Bijgaand factuur nr. 4{n} van 3 maart 2026 ter waarde van 249,00 EUR.',
    promotion: '15% korting op alles! Vul {m} in bij het afrekenen.',
    notice: 'Nieuwe aanmelding op 03-03-2026 om 18:42 vanaf 203.0.113.7. Referentie {n}.',
  },
  pl: {
    login: '{n} to Twoje hasło jednorazowe do Globex. Nie udostępniaj go.',
    label: 'Oto Twój kod bezpieczeństwa',
    subject: 'Globex: Twój kod to {n}',
    device: 'Aby połączyć telewizor, wpisz kod {m} na stronie logowania.',
    order: 'W załączniku faktura nr 4{n} z 3 marca 2026 na kwotę 249,00 zł.',
    promotion: '15% rabatu na wszystko! Wpisz {m} przy kasie.',
    notice: 'Nowe logowanie 03.03.2026 o 18:42 z adresu 203.0.113.7. Numer referencyjny {n}.',
  },
  sv: {
    login: '{n} är ditt engångslösenord till Globex. Dela det inte.',
    label: 'Här är din säkerhetskod',
    subject: 'Globex: din kod är {n}',
    device: 'Skriv koden {m} på inloggningssidan för att koppla din tv.',
    order: 'Bifogat finns faktura nr 4{n} från den 3 mars 2026 på 249,00 kr.',
    promotion: '15 % rabatt på allt! Ange {m} i kassan.',
    notice: 'Ny inloggning 2026-03-03 kl. 18.42 från 203.0.113.7. Referens {n}.',
  },
  ru: {
    login: '{n} — одноразовый пароль для Globex. Не сообщайте его никому.',
    label: 'Ваш код безопасности',
    subject: 'Globex: ваш код {n}',
    device: 'Чтобы подключить телевизор, введите код {m} на странице входа.',
    order: 'Во вложении счёт № 4{n} от 3 марта 2026 года на сумму 2490,00 руб.',
    promotion: 'Скидка 15 % на всё! Введите {m} при оплате.',
    notice: 'Новый вход 03.03.2026 в 18:42 с адреса 203.0.113.7. Обращение {n}.',
  },
  tr: {
    login: '{n}, Globex için tek kullanımlık şifrenizdir. Paylaşmayın.',
    label: 'Güvenlik kodunuz',
    subject: 'Globex: kodunuz {n}',
    device: 'Televizyonunuzu bağlamak için giriş sayfasında {m} kodunu yazın.',
    order: '3 Mart 2026 tarihli 4{n} numaralı faturanız ektedir. Tutar: 249,00 TL.',
    promotion: 'Her şeyde %15 indirim! Ödeme sırasında {m} yazın.',
    notice: '03.03.2026 saat 18:42, 203.0.113.7 adresinden yeni oturum. Referans {n}.',
  },
  ja: {
    login: 'Globexのワンタイムパスワードは {n} です。誰にも知らせないでください。',
    label: 'セキュリティコード',
    subject: 'Globex 確認コード {n}',
    device: 'テレビを接続するには、ログインページでコード {m} を入力してください。',
    order: '2026年3月3日付の請求書番号 4{n} を添付します。ご請求額 24,900円。',
    promotion: '全品15%オフ！お会計時に {m} を入力してください。',
    notice: '2026年3月3日 18:42 に 203.0.113.7 から新しいログインがありました。受付番号 {n}',
  },
  zh: {
    login: '{n} 是您的 Globex 一次性密码，请勿透露给他人。',
    label: '您的安全码',
    subject: 'Globex 动态码 {n}',
    device: '如需连接电视，请在登录页面输入代码 {m}。',
    order: '附件为2026年3月3日的发票，编号4{n}，金额249.00元。',
    promotion: '全场85折！结账时输入 {m}。',
    notice: '您的账户于2026年3月3日18:42从203.0.113.7登录。工单 {n}。',
  },
  ko: {
    login: 'Globex 일회용 비밀번호는 {n}입니다. 공유하지 마세요.',
    label: '보안 코드',
    subject: 'Globex 확인 코드: {n}',
    device: 'TV를 연결하려면 로그인 페이지에서 코드 {m}을 입력하세요.',
    order: '2026년 3월 3일자 청구서 4{n}를 첨부합니다. 금액 24,900원.',
    promotion: '전 상품 15% 할인! 결제할 때 {m}을 입력하세요.',
    notice: '2026년 3월 3일 18:42에 203.0.113.7에서 새로 로그인했습니다. 문의 번호 {n}.',
  },
  ar: {
    login: '{n} هي كلمة مرور لمرة واحدة من Globex. لا تشاركها.',
    label: 'رمز الأمان الخاص بك',
    subject: 'Globex: الرمز {n}',
    device: 'لربط التلفاز، اكتب الرمز {m} في صفحة تسجيل الدخول.',
    order: 'مرفق الفاتورة رقم 4{n} بتاريخ 3 مارس 2026 بمبلغ 249.00 ريال.',
    promotion: 'خصم 15% على كل شيء! اكتب {m} عند الدفع.',
    notice: 'تسجيل دخول جديد في 03/03/2026 الساعة 18:42 من 203.0.113.7. المرجع {n}.',
  },
  he: {
    login: '{n} הוא הסיסמה החד-פעמית שלך ל-Globex. אל תמסור אותה לאיש.',
    label: 'להלן קוד האבטחה שביקשת',
    subject: 'כניסה ל-Globex: {n}',
    device: 'כדי לשייך את הטלוויזיה, הקלידו {m} בדף ההתחברות. זהו קוד שיוך ל-15 דקות.',
    order: 'מצורפת חשבונית 4{n} על רכישה מ-3 במרץ 2026. לתשלום: 249.00 ₪.',
    promotion: '15% הנחה על הכול! הזינו {m} בקופה.',
    notice: 'התחברות חדשה לחשבונך מ-203.0.113.7 בשעה 18:42 ב-03.03.2026. אסמכתא {n}.',
  },
  fa: {
    login: '{n} رمز یکبار مصرف شما برای Globex است. آن را به کسی ندهید.',
    label: 'کد امنیتی که درخواست کردید',
    subject: 'ورود به Globex: {n}',
    device: 'برای اتصال تلویزیون، کد دسترسی {m} را در صفحه ورود بنویسید.',
    order: 'فاکتور 4{n} خرید ۳ مارس ۲۰۲۶ پیوست است. مبلغ ۲۴۹٬۰۰۰ ریال.',
    promotion: '۱۵٪ تخفیف برای همه چیز! هنگام پرداخت {m} را وارد کنید.',
    notice: 'ورود تازه به حساب شما از 203.0.113.7 ساعت 18:42 در 2026/03/03. پیگیری {n}.',
  },
  th: {
    login: '{n} คือรหัสผ่านแบบใช้ครั้งเดียวของ Globex ห้ามบอกผู้อื่น',
    label: 'นี่คือรหัสความปลอดภัยที่คุณขอ',
    subject: 'เข้าสู่ระบบ Globex: {n}',
    device: 'กรอก {m} ในหน้าเข้าสู่ระบบ รหัสยืนยันตัวตนนี้ใช้ได้ 15 นาที',
    order: 'แนบใบแจ้งหนี้ 4{n} สำหรับการซื้อวันที่ 3 มีนาคม 2026 ยอดชำระ 249.00 บาท',
    promotion: 'ลด 15% ทุกอย่าง! กรอก {m} ตอนชำระเงิน',
    notice: 'มีการเข้าสู่ระบบจาก 203.0.113.7 เวลา 18:42 วันที่ 03/03/2026 อ้างอิง {n}',
  },
  vi: {
    login: '{n} là mật khẩu dùng một lần của bạn cho Globex. Đừng chia sẻ.',
    label: 'Đây là mã bảo mật bạn yêu cầu',
    subject: 'Đăng nhập Globex: {n}',
    device: 'Để liên kết TV, nhập {m} trên trang đăng nhập. Mã ghép nối có hiệu lực 15 phút.',
    order: 'Đính kèm hóa đơn 4{n} cho lần mua ngày 3 tháng 3 năm 2026. Số tiền 249.000 ₫.',
    promotion: 'Giảm giá 15% mọi thứ! Nhập {m} khi thanh toán.',
    notice: 'Đăng nhập mới từ 203.0.113.7 lúc 18:42 ngày 03/03/2026. Tham chiếu {n}.',
  },
  id: {
    login: '{n} adalah kata sandi sekali pakai Globex Anda. Jangan dibagikan.',
    label: 'Berikut kode keamanan yang Anda minta',
    subject: 'Masuk ke Globex: {n}',
    device: 'Untuk menghubungkan TV, ketik {m} di halaman masuk. Kode pemasangan berlaku 15 menit.',
    order: 'Terlampir faktur 4{n} untuk pembelian 3 Maret 2026. Jumlah 249.000 rupiah.',
    promotion: 'Diskon 15% untuk semua! Masukkan {m} saat checkout.',
    notice: 'Login baru dari 203.0.113.7 pukul 18:42 pada 03/03/2026. Referensi {n}.',
  },
  el: {
    login: '{n} είναι ο κωδικός μίας χρήσης για το Globex. Μην τον δώσετε σε κανέναν.',
    label: 'Αυτός είναι ο κωδικός ασφαλείας που ζητήσατε',
    subject: 'Σύνδεση στο Globex: {n}',
    device: 'Για να συνδέσετε την τηλεόραση, εισαγάγετε τον κωδικό {m} στη σελίδα σύνδεσης.',
    order: 'Επισυνάπτεται το τιμολόγιο 4{n} της 3ης Μαρτίου 2026. Ποσό 249,00 €.',
    promotion: 'Έκπτωση 15% σε όλα! Εισαγάγετε {m} στο ταμείο.',
    notice: 'Νέα σύνδεση από 203.0.113.7 στις 18:42, 03/03/2026. Αναφορά {n}.',
  },
};

/** The words of code-words.ts in Hebrew, Persian, Thai, Vietnamese, Indonesian and Greek. */
import { type CodeWords, wordLists } from './code-words.ts';

export const ASIAN_CODE_WORDS: Readonly<Record<string, CodeWords>> = {
  he: wordLists(`
    strong: קוד אימות|קוד האימות|קוד אבטחה|קוד האבטחה|קוד כניסה|קוד הכניסה|קוד התחברות|קוד גישה|קוד הפעלה|
      קוד ההפעלה|קוד חד פעמי|קוד חד-פעמי|סיסמה חד פעמית|סיסמה חד-פעמית|קוד אישור|קוד האישור|סיסמה זמנית|קוד זמני|
      קוד איפוס|קוד שיוך
    weak: קוד|הקוד|קודך|סיסמה
    action: להתחבר|להתחברות|התחברות|כניסה|לאימות|לאמת|הזינו|הזן|הקלידו|לאיפוס|אימות
    other: הזמנה|ההזמנה|מספר הזמנה|חשבונית|משלוח|מעקב|אסמכתא|פנייה|סכום|מחיר|קופון|קוד קופון|קוד הנחה|מיקוד|טלפון|
      כרטיס טיסה|טיסה|חדר|פריט|קוד שגיאה|מבצע|גרסה
    thing: חשבון|כרטיס|מספר|לקוח|שנה|עמוד`),
  fa: wordLists(`
    strong: کد تأیید|کد تایید|کد امنیتی|کد ورود|کد فعال سازی|کد فعال‌سازی|کد یکبار مصرف|کد یک‌بار مصرف|
      کد یک بار مصرف|رمز یکبار مصرف|رمز یک‌بار مصرف|رمز پویا|کد دسترسی|کد احراز هویت|رمز موقت|کد بازیابی|
      کد اعتبارسنجی
    weak: کد|رمز
    action: ورود|وارد|تأیید|تایید|احراز هویت|بازیابی
    other: سفارش|شماره سفارش|فاکتور|صورتحساب|مرسوله|رهگیری|کد رهگیری|پیگیری|مبلغ|قیمت|تخفیف|کد تخفیف|کد پستی|کدپستی|
      تلفن|پرواز|اتاق|کد خطا|نسخه|کالا
    thing: حساب|کارت|شماره|مشتری|سال|صفحه`),
  th: wordLists(`
    strong: รหัสยืนยัน|รหัสความปลอดภัย|รหัสเข้าสู่ระบบ|รหัสผ่านครั้งเดียว|รหัสผ่านแบบใช้ครั้งเดียว|
      รหัสใช้ครั้งเดียว|รหัสผ่านชั่วคราว|รหัสเปิดใช้งาน|รหัสการเข้าถึง|รหัสโอทีพี|รหัส otp|รหัสยืนยันตัวตน|
      รหัสกู้คืน|รหัสตรวจสอบ
    weak: รหัส|โค้ด
    action: เข้าสู่ระบบ|ยืนยัน|กรอก|ป้อน|รีเซ็ต
    other: คำสั่งซื้อ|หมายเลขคำสั่งซื้อ|ใบแจ้งหนี้|พัสดุ|ติดตาม|อ้างอิง|หมายเลขอ้างอิง|จำนวนเงิน|ราคา|ยอดรวม|ส่วนลด|
      โค้ดส่วนลด|คูปอง|รหัสไปรษณีย์|โทร|เที่ยวบิน|ห้อง|รหัสข้อผิดพลาด|รุ่น|สินค้า|รหัสการจอง|การจอง
    thing: บัญชี|บัตร|หมายเลข|ลูกค้า|ปี|หน้า`),
  vi: wordLists(`
    strong: mã xác minh|mã xác nhận|mã xác thực|mã bảo mật|mã đăng nhập|mã kích hoạt|mã truy cập|
      mật khẩu dùng một lần|mã dùng một lần|mã một lần|mật khẩu tạm thời|mã khôi phục|mã ghép nối|mã otp
    weak: mã|mã số
    action: đăng nhập|xác minh|xác nhận|nhập|đặt lại
    other: đơn hàng|mã đơn hàng|hóa đơn|hoá đơn|vận đơn|mã vận đơn|tham chiếu|số tiền|giá|tổng|giảm giá|mã giảm giá|
      mã khuyến mãi|phiếu|mã bưu chính|điện thoại|chuyến bay|phòng|mã lỗi|phiên bản|sản phẩm|mã đặt chỗ|yêu cầu
    thing: tài khoản|thẻ|số|khách hàng|năm|trang`),
  id: wordLists(`
    strong: kode verifikasi|kode keamanan|kode masuk|kode login|kode akses|kode aktivasi|kode otp|kode sekali pakai|
      kata sandi sekali pakai|sandi sekali pakai|kode konfirmasi|kode autentikasi|kata sandi sementara|
      kode pemulihan|kode otentikasi|kode pemasangan
    weak: kode|kodenya|pin
    action: masuk|verifikasi|masukkan|konfirmasi|atur ulang|login
    other: pesanan|nomor pesanan|faktur|tagihan|paket|resi|nomor resi|referensi|jumlah|harga|total|diskon|
      kode diskon|kode promo|kupon|kode pos|telepon|penerbangan|kamar|kode error|kode kesalahan|versi|produk|
      kode booking|pemesanan|tiket
    thing: akun|kartu|nomor|pelanggan|tahun|halaman`),
  el: wordLists(`
    strong: κωδικός επαλήθευσης|κωδικό επαλήθευσης|κωδικός ασφαλείας|κωδικός σύνδεσης|κωδικό σύνδεσης|
      κωδικός μιας χρήσης|κωδικό μιας χρήσης|κωδικός πρόσβασης μίας χρήσης|κωδικός πρόσβασης μιας χρήσης|
      κωδικός επιβεβαίωσης|κωδικός ενεργοποίησης|κωδικός πρόσβασης|προσωρινός κωδικός|κωδικός ταυτοποίησης|
      κωδικός ανάκτησης
    weak: κωδικός|κωδικό|κωδικού|pin
    action: συνδεθείτε|σύνδεση|επαληθεύσ*|επαλήθευση|εισάγετε|εισαγάγετε|πληκτρολογήστε|επαναφορά
    other: παραγγελία*|αριθμός παραγγελίας|τιμολόγιο|αποστολή|δέμα|παρακολούθησης|αναφορά|ποσό|τιμή|σύνολο|έκπτωση|
      εκπτωτικός κωδικός|κουπόνι|ταχυδρομικός κώδικας|τηλ|τηλέφωνο|πτήση|δωμάτιο|κωδικός σφάλματος|έκδοση|προϊόν*|
      κράτηση*|αίτημα
    thing: λογαριασμός|λογαριασμό|κάρτα|αριθμός|πελάτη*|έτος|σελίδα`),
};

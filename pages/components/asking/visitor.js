// Keeps the visitor's id for a year from the last visit.
export default function ({ data: { cookie, id } }) {
  // Another tab may have been faster: both use its id from the next load on.
  const kept = document.cookie.match(new RegExp(`(?:^|; )${cookie}=([0-9a-f]{32})(?:;|$)`));
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookie}=${kept ? kept[1] : id}; Max-Age=31536000; Path=/; SameSite=Lax${secure}`;
}

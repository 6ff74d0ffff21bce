// Requests the page of a material until its images are rendered, loads missing images again, and
// replaces the notice, also after the last attempt. Without a script the notice has a link that
// shows the page again.
{
  const notice = document.querySelector('.rendering');
  const intervalMs = 3_000;
  const attempts = 60;

  function loadMissingImages() {
    for (const image of document.querySelectorAll('.products img'))
      if (image.complete && image.naturalWidth === 0) image.src = image.getAttribute('src');
  }

  async function isRendering(response) {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return !response.ok || page.querySelector('.rendering') !== null;
  }

  async function check(left) {
    const response = await fetch(location.pathname).catch(() => undefined);
    // To the sign-in: the session has ended
    if (response?.redirected) return;
    const more = response === undefined || (await isRendering(response).catch(() => true));
    loadMissingImages();
    if (!more) notice.textContent = notice.dataset.rendered;
    else if (left > 0) setTimeout(check, intervalMs, left - 1);
    else notice.querySelector('span').textContent = notice.dataset.late;
  }
  setTimeout(check, intervalMs, attempts);
}
